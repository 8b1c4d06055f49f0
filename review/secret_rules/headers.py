"""Rules for secrets in header lines, command lines, markup and sentences."""

import re
from base64 import b64decode

from review.secret_rules.named_values import QUOTED, find_value, is_reference, redact_group
from review.secret_rules.rule import REMOVED, make_rule

_NAMES_OF_SECRETS = r"(?:key|secret|token|passw(?:or)?d|passphrase|credentials?)"
_SCHEMES = (
    r"(?:basic|bearer|token|digest|negotiate|apikey|api-key|key|aws4-hmac-sha256|hawk|ntlm|convex"
    r"|bot|oauth|dpop|privatetoken|splunk|snyk)"
)
_SCHEME_WORDS = frozenset(_SCHEMES.strip("(?:)").split("|"))
_NO_PASSWORDS = frozenset(
    """
    not required invalid incorrect wrong missing empty too stored hashed a an the in on
    being never now correct ok set valid expired null undefined used sent checked needed
    optional hidden visible shown short long weak strong read written passed taken kept
    given saved encrypted reset changed rotated rejected accepted for from and or but this
    that it something what probably always only still already generated created compared
    verified safe unsafe public secret private there here gone different same as by of to
    with your my our
    """.split()  # noqa: SIM905 - words are read better without quotes
)


def _without_header(match: re.Match[str]) -> str:
    """Return a header line without its value, or the whole line if the value is not a secret."""
    value = match["value"]
    if is_reference(value.strip()) or value.strip().casefold() in _SCHEME_WORDS:
        return match[0]
    if match["scheme"] is None and not match["open"] and not re.search("[0-9]", value):
        return match[0]
    return redact_group(match, "value")


def _without_quoted(match: re.Match[str]) -> str:
    """Return a match without its value, or the whole match if that is a variable or a word."""
    group, value = find_value(match)
    if is_reference(value) or (group == "bare" and not re.search(r"[0-9@#%^*!$]", value)):
        return match[0]
    return redact_group(match, group)


def _without_encoded_password(match: re.Match[str]) -> str:
    """Return a match without its value if that is a name and a password in base64; else whole."""
    try:
        decoded = b64decode(match["value"], validate=True)
    except ValueError:
        return match[0]
    is_pair = re.fullmatch(rb"[ -9;-~]{1,200}:[ -~]{1,400}", decoded) is not None
    return redact_group(match, "value") if is_pair else match[0]


def _without_any(match: re.Match[str]) -> str:
    """Return a match without its value, or the whole match if the value is a variable."""
    group, value = find_value(match)
    return match[0] if is_reference(value) else redact_group(match, group)


def _without_password(match: re.Match[str]) -> str:
    """Return a match in a sentence without its password, or the whole match without one."""
    group, value = find_value(match)
    word = value.rstrip(".,;:!?").casefold()
    if is_reference(value) or word in _NO_PASSWORDS:
        return match[0]
    is_password = group != "bare" or match["whose"] is not None or re.search(r"[0-9@#%^*$]", word)
    if not is_password or len(word) < _SHORTEST:
        return match[0]
    if group == "bare":
        end = match[0][len(match[0].rstrip(".,;:!?")) :]
        return f"{match[0][: match.start(group) - match.start()]}{REMOVED}{end}"
    return redact_group(match, group)


_SHORTEST = 3

HEADERS = (
    make_rule(
        "header line",
        "authorization",
        rf"(?i)\bauthorization(?P<open>\\{{0,7}}[\"'`])?[ \t]{{0,4}}[:=]"
        rf"[ \t]{{0,4}}(?:\\{{0,7}}[\"'`f])?"
        rf"(?:(?P<scheme>{_SCHEMES})[ \t]{{1,4}})?(?P<value>[^\s\"'`\\,;()\[\]{{}}][^\"'`\\\n]*+)",
        _without_header,
    ),
    make_rule(
        "header line",
        "nonce=,response=",
        r"(?i)(?P<name>\b(?:response|c?nonce)=\\{0,3}[\"']?)[A-Za-z0-9+/=]{16,}+",
        rf"\g<name>{REMOVED}",
    ),
    make_rule(
        "header line",
        "bearer ",
        r"(?i)(?<=bearer )(?P<value>[A-Za-z0-9._~+/|:-]{12,}+=*)",
        # A word is no token: `Bearer authentication`.
        lambda match: match[0] if re.fullmatch(r"[A-Za-z]{12,30}", match[0]) else REMOVED,
    ),
    make_rule(
        "header line",
        "cookie",
        r"(?i)\b(?:set-)?cookie(?:\\{0,7}[\"'`]?[ \t]{0,4}:|\\{0,7}[\"'`][ \t]{0,4},)"
        r"[ \t]{0,4}(?:\\{0,7}[\"'`])?"
        r"(?P<bare>[\w!#$%&*+.^|~-]{1,80}=[^\"'`\\\n]++)",
        _without_any,
    ),
    make_rule(
        "header line",
        "curl",
        r"(?i)\bcurl\b[^\n]{0,500}?[ \t](?:-b|--cookie)[ =]?[ \t]{0,4}\\{0,7}[\"']?"
        r"(?P<bare>[\w!#$%&*+.^|~-]{1,80}=[^\"'`\\\n]++)",
        _without_any,
    ),
    make_rule(
        "password of a registry",
        "auth\",auth',auth\\",
        r"(?i)(?<=auth)\\{0,7}[\"'][ \t]{0,4}:[ \t]{0,4}\\{0,7}[\"']"
        r"(?P<value>[A-Za-z0-9+/]{6,400}+={0,2})(?=\\{0,7}[\"'])",
        _without_encoded_password,
    ),
    make_rule(
        "header line",
        "-key,-token,-secret,-auth,-password,-signature",
        r"(?i)\bx(?:-[a-z0-9]{1,30}){0,6}?-(?:key|token|secret|auth|password|signature)\\{0,7}[\"'`]?"
        rf"[ \t]{{0,4}}:[ \t]{{0,4}}(?:{QUOTED}|(?P<bare>[^\s\"'`\\,;()\[\]{{}}]++))",
        _without_any,
        starts="x-",
    ),
    make_rule(
        "password of a command",
        "curl,wget",
        r"(?i)\b(?:curl|wget)\b[^\n]{0,500}?[ \t](?:-u|--user|--proxy-user)[ =]?[ \t]{0,4}"
        r"\\{0,7}[\"']?[^\s\"':\\]{0,80}:(?P<bare>[^\s\"'\\]++)",
        _without_any,
    ),
    make_rule(
        "password of a command",
        "--",
        r"(?i)(?<![\w-])--(?:[a-z0-9]{1,20}-){0,4}(?:key|token|secret|password|passwd|passphrase"
        rf"|credentials|pass)[ \t]{{1,4}}(?:{QUOTED}|(?P<bare>[^\s\"'`\\-][^\s\"'`\\]*+))",
        _without_quoted,
    ),
    make_rule(
        "password of a command",
        "env set,setenv,sshpass,secret set,secrets set",
        r"(?i)\b(?:env set(?:[ \t]{1,4}--?[\w-]{1,30}){0,3}|setenv|secrets? set)[ \t]{1,4}\w{1,80}"
        rf"[ \t]{{1,4}}(?:{QUOTED}|(?P<bare>[^\s\"'`\\-][^\s\"'`\\]*+))",
        _without_any,
    ),
    make_rule(
        "password of a command",
        "sshpass",
        rf"(?i)\bsshpass[ \t]{{1,4}}-p[ \t]{{0,4}}(?:{QUOTED}|(?P<bare>[^\s\"'`\\]++))",
        _without_any,
    ),
    make_rule(
        "password of a command",
        "login ",
        r"(?i)\blogin[ \t]{1,4}[^\s]{1,80}[ \t]{1,4}password[ \t]{1,4}(?P<bare>[^\s\"'`\\]++)",
        _without_any,
    ),
    make_rule(
        "value of a secret's name",
        "key>,secret>,token>,password>,passwd>,passphrase>,credential>,credentials>",
        rf"(?i)<(?P<name>[\w.:-]{{0,40}}{_NAMES_OF_SECRETS})>(?P<bare>[^<>\n]{{1,400}}+)(?=</)",
        _without_any,
    ),
    make_rule(
        "value of a secret's name",
        "value",
        rf"(?i){_NAMES_OF_SECRETS}[\"'\\]{{0,3}}[ \t,]{{0,4}}\n?[ \t]{{0,40}}"
        rf"\\{{0,3}}[\"']?\bvalue[\"'\\]{{0,3}}"
        rf"[ \t]{{0,4}}[:=][ \t]{{0,4}}(?:{QUOTED}|(?P<bare>[^\s\"'`\\,;()\[\]{{}}<>]++))",
        _without_quoted,
        scope="two lines",
        starts="key,secret,token,passw,passphrase,credential",
    ),
    make_rule(
        "password of a sentence",
        "password,passwd,passphrase",
        r"(?i)\b(?:password|passwd|passphrase)[ ]"
        r"(?!(?:sha|md|argon|pbkdf|base|utf|oauth|http|step|v)\d)"
        r"(?P<bare>(?=[a-z_@#%^*!$]*+[0-9])(?=[0-9@#%^*!$_]*+[a-z])[\w@#%^*!$]{6,}+)",
        _without_any,
        starts="password,passwd,passphrase",
    ),
    make_rule(
        "password of a sentence",
        "password,passwd,passphrase,passcode,api key,secret,token,login is,pw is,pwd is,pin is",
        r"(?i)(?P<whose>\b(?:my|our|his|her|their|the root|the admin|admin|root)\b"
        r"[ \w'.-]{0,24}?[ ])?\b(?:password|passwd|passphrase|passcode|api[ -]?key"
        r"|access key|secret key|deploy key|secret"
        r"|(?:access |auth |api )?token|pwd?|pin)(?:[ ][\w'-]{1,20}){0,3}?[ ](?:is|was|to)[ :]{1,3}"
        rf"(?:{QUOTED}|(?P<bare>[^\s\"'`\\]++))",
        _without_password,
        starts="my,our,his,her,their,the root,the admin,admin,root,pass,api,access,secret,"
        "deploy key,auth,token,pw,pin",
    ),
)
