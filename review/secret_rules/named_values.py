"""Rules for values whose name is that of a secret: `API_KEY=...`, `"password": "..."`.

In code, most of these values are not secrets: `apiKey: process.env.API_KEY`, `token: v.string()`.
The functions here distinguish them. docs/exports.md lists the values that stay.
"""

import re

from review.secret_rules.entropy import looks_random
from review.secret_rules.rule import REMOVED, make_rule

_LOOKED_BACK = 48
"""Characters before the last word of a name that are examined."""
_WORD = (
    r"(?P<word>key|secret|token|passw(?:or)?d|passwort|passphrase|passcode|credentials?|creds|dsn"
    r"|(?<=[_-])(?:pass|pwd)|(?<![A-Za-z0-9])(?:pass|pwd)(?=[\"']?[ \t]{0,4}[:=]))"
)
_SUFFIX = (
    r"(?P<suffix>(?:[_-]?(?:[0-9]{1,3}|id|value|base|hash|string|data|base64|b64|raw|plain|prod"
    r"|production|dev|test|live|staging|old|new|primary|secondary)(?![A-Za-z0-9]))?)"
)
_ASSIGNED = (
    r"(?P<assigned>[\"'`\]\\?!]{0,4}[ \t]{0,8}"
    r"(?::[ \t]{0,8}(?:&?(?:'static )?str(?:ing)?|text)[ \t]{0,8}=|=>|:=|[!=]?={1,2}|[:=])"
    r"[ \t]{0,8})"
)
QUOTED = (
    r"(?:\"(?P<double>(?:[^\"\\\n]|\\[^\n])*+)"
    r"|'(?P<single>(?:[^'\\\n]|\\[^\n])*+)"
    r"|`(?P<back>(?:[^`\\\n]|\\[^\n])*+)"
    r"|\\{1,7}[\"'`](?P<escaped>[^\"'`\\\n]*+))"
)
_VALUE_GROUPS = ("double", "single", "back", "escaped", "bare")
_BARE = r"(?P<bare>[^\s\"'`,;()\[\]{}<>&|\\]++)"
_STRONG_KEYS = tuple(
    """
    api access secret private deploy admin auth encryption encrypt signing sign account
    master service client shared license webhook hmac jwt session ssh rsa subscription app
    root security openai anthropic stripe google aws azure gemini resend clerk groq mistral
    convex project integration publishable server upload bot cloudant clou cl softlayer sl
    ibm iam cos cloud
    """.split()  # noqa: SIM905 - words are read better without quotes
)
"""Words before `key` in names of secrets; most other keys are those of tables and lists."""
_CODE_KEYS = re.compile(
    r"(?:primary|foreign|sort|partition|cache|query|storage|public|index|lookup|group|object|row"
    r"|column|hash|map|item|idempotency|dedup|limit|unique|natural|pub|hot|composite|react|i18n"
    r"|translation|message|label|field|data|json|route|event|state|feature|flag)[_-]?$"
)
_NO_VALUES = frozenset(
    """
    string str text number boolean bool int float bytes null none nil undefined true false
    void unknown any never object optional required password passwd secret token key
    credentials await new async function typeof return yield const let var not this self
    super include omit same-origin bearer basic hidden public private default input value
    hashed hash encrypted missing invalid valid expired is are was and or the a an in for
    from to of as if else
    """.split()  # noqa: SIM905 - words are read better without quotes
)
"""Words in the position of a value that are not a value."""
_PLACEHOLDER = re.compile(
    r"(?i)(?:(?:your|my|insert|enter|replace|paste)[ _-]|<|\{\{|\$|%[a-z_]++%|\*{3}|\[|x{3,}+$"
    r"|\.{3}|process\.env|import\.meta|os\.environ)"
)
_DOTTED = re.compile(r"!?[A-Za-z_$][\w$]*+(?:[?!]?\.[A-Za-z_$#][\w$]*+)++[?!]?")
_SENTENCE = re.compile(
    r"(?:[A-Z][^ ]*+|[^ ]++(?: [^ ]++){3,}?[.!?])(?: [^ ]++){1,}+[.!?]?"
    r"|.{0,80}?\b(?i:is|must|should|required|please|cannot|invalid)\b.*"
)
_SIGNS = re.compile(r"[@#%^*~]|[!?$](?!$)")


def find_value(match: re.Match[str]) -> tuple[str, str]:
    """Return the group and the text of the value in a match, which is quoted or bare."""
    groups = match.groupdict()
    values = ((group, groups[group]) for group in _VALUE_GROUPS if groups.get(group) is not None)
    return next(values, ("bare", ""))


def redact_group(match: re.Match[str], group: str | int) -> str:
    """Return the text of a match with REMOVED instead of a group."""
    start, end = match.start(group) - match.start(), match.end(group) - match.start()
    return f"{match[0][:start]}{REMOVED}{match[0][end:]}"


def is_reference(value: str) -> bool:
    """Return whether a value is empty, a placeholder, a variable or a template, not a literal."""
    return (
        not value
        or value == REMOVED
        or _PLACEHOLDER.match(value) is not None
        or any(mark in value for mark in ("${", "{{", "$("))
    )


def _without_value(match: re.Match[str]) -> str:
    """Return an assignment without its value, or the whole match if the value is no secret."""
    group, value = find_value(match)
    name = _Name(match)
    if is_reference(value) or value.casefold() in _NO_VALUES or not name.is_of_secret(value):
        return match[0]
    if group == "bare":
        is_secret = _is_bare_secret(match, name, value)
    else:
        is_secret = value.casefold() != name.text and not _SENTENCE.fullmatch(value)
    return redact_group(match, group) if is_secret else match[0]


_PREFIXES = (*("auth", "access", "api", "client", "refresh", "id", "csrf", "my", "user", "db"),)
"""Words that are joined with the word of a secret."""


class _Name:
    """The name to which a value is assigned."""

    def __init__(self, match: re.Match[str]) -> None:
        before = match.string[max(0, match.start() - _LOOKED_BACK) : match.start()]
        head = re.match(r"[\w.$-]*+", before[::-1])
        self._head = head[0][::-1] if head else ""
        self._word = match["word"]
        self._before = before.casefold()
        self.text = f"{self._head}{self._word}{match['suffix']}".casefold()
        self.is_of_environment = (
            self._word.isupper() and self._head.upper() == self._head and "_" in self._head
        )
        self.is_password = self._word.casefold().startswith(
            ("passw", "passphrase", "passcode", "pass", "pwd", "secret")
        )

    def is_of_secret(self, value: str) -> bool:
        """Return whether this is the name of a secret; if it is not clear, the value decides."""
        if self._word.casefold() != "key":
            # The word may be the end of a longer word: `unsecret`, but not `authtoken`.
            is_part = self._head[-1:].islower() and self._word[0].islower()
            return not is_part or self._head.casefold().endswith(_PREFIXES)
        head = self._before.rstrip(" _-")
        if _CODE_KEYS.search(self._before):
            return looks_random(value)
        return self.is_of_environment or head.endswith(_STRONG_KEYS) or looks_random(value)


_LEAST_PIN = 4


def _is_bare_secret(  # noqa: PLR0911 - a kind of value each
    match: re.Match[str], name: _Name, value: str
) -> bool:
    """Return whether a value without quotes is a secret, and not a name, number or type in code."""
    after = match.string[match.end() : match.end() + 1]
    if after in {"(", "[", "{", "<"} or value.startswith(("//", "=", "!", "/")):
        return False
    has_digit = any(letter.isdigit() for letter in value)
    if value.isdigit():
        if name.text == "pass":  # a number of passed tests
            return False
        return name.is_password and len(value) >= _LEAST_PIN
    if match["assigned"].strip("\"'`]\\ \t?!") in {"==", "===", "!=", "!=="}:
        return False
    if name.is_of_environment and match["assigned"] == "=":
        return not (_DOTTED.fullmatch(value) or value.casefold() == name.text)
    if _DOTTED.fullmatch(value):
        is_typed = name.is_password and match["assigned"] == "="
        return has_digit and (is_typed or looks_random(value.replace(".", "")))
    if has_digit:
        return len(value) >= _LEAST_PIN and not value.casefold().startswith(
            match["word"].casefold()
        )
    if _SIGNS.search(value):
        return name.is_password
    if match["assigned"] == "=":
        is_name = value.isalpha() and not value.islower()
        has_signs = re.search("[+/=~-]", value) is not None
        return after not in {",", ")"} and not is_name and (has_signs or value.isalpha())
    # A value of letters is a password if it is alone on its line, as in YAML.
    start = match.string.rfind("\n", max(0, match.start() - _LOOKED_BACK), match.start()) + 1
    line = match.string[start : match.start()]
    return (
        name.is_password
        and match["assigned"].strip() == ":"
        and after in {"", "\n", "\r"}
        and value.islower()
        and value.isalpha()
        and re.fullmatch(r"[ \t]*(?:- )?[\w.-]*", line) is not None
        and value != match["word"].casefold()
    )


def _without_environment_value(match: re.Match[str]) -> str:
    """Return a line of an environment file without its value, or whole if the value is code."""
    value = match["value"]
    if is_reference(value) or value.casefold() in _NO_VALUES or _CALL.match(value):
        return match[0]
    return redact_group(match, "value")


_CALL = re.compile(r"[A-Za-z_$][\w$.]*+(?:[(\[]|\Z)(?<![0-9])")


NAMED_VALUES = (
    make_rule(
        "value of a secret's name",
        "_key=,_token=,_secret=,_password=,_passwd=,_pass=,_pwd=,_credentials=,_dsn=",
        r"(?<=_)(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASS|PWD|CREDENTIALS|DSN)="
        r"(?P<value>[^\s\"'`\\$][^\s\"'`\\]*+)",
        _without_environment_value,
    ),
    make_rule(
        "value of a secret's name",
        "key,secret,token,passw,passphrase,passcode,pwd,pass,credential,creds,dsn",
        rf"(?i){_WORD}{_SUFFIX}{_ASSIGNED}(?:{QUOTED}|{_BARE})",
        _without_value,
        starts="key,secret,token,passw,passphrase,passcode,credential,creds,dsn,pass,pwd",
    ),
    make_rule(
        "value of a secret's name",
        "key,secret,token,passw,passphrase,credential",
        r"(?i)(?:key|secret|token|passwor[dt]|passwd|passphrase|credentials?)[^A-Za-z0-9\n]{1,12}+"
        r"(?:(?:body|b|value|default|is|was)[^A-Za-z0-9\n]{1,8}+)?"
        r"(?P<value>[A-Za-z0-9][A-Za-z0-9+/_=-]{19,200})",
        lambda m: redact_group(m, "value") if looks_random(m["value"]) else m[0],
        starts="key,secret,token,passwor,passwd,passphrase,credential",
    ),
)
