"""Rules for personal data: addresses with passwords, e-mail addresses and home folders."""

from review.secret_rules.rule import REMOVED, make_rule

_NO_NAMES = r"(?!(?:and|or|to|in|is|at|the|from|for|with|then|but|on|into|by|as|if|are)\b)"
_NAME = r"(?:[^/\\\s\"'`:<>|*?,;()%]|%(?!20))++"
_MORE = rf"(?:(?:\\? |%20){_NO_NAMES}{_NAME}){{1,3}}"
_PLACE_WORDS = (
    r"(?!(?:page|dir|directory|path|screen|button|link|icon|tab|nav|section|view|url|folder|settings"
    r"|dashboard|index|layout|feed|about|profile)\b)"
)

PERSONAL_DATA = (
    make_rule(
        "address with a password",
        "://",
        r"://[^\s/:@\"'`<>]{0,100}:[^\s/\"'`<>]{1,200}(?=@)",
        f"://{REMOVED}",
    ),
    make_rule(
        "address with a password",
        "://",
        r"://(?!\[redacted)[^\s/:@\"'`<>?#]{16,200}(?=@)",
        f"://{REMOVED}",
    ),
    make_rule(
        "e-mail address",
        "@,%40",
        r"(?<![\w+-])(?!git@)\w[\w.+-]{0,63}(?:@|%40)(?!\d+\.\d)[\w-]{1,63}(?:\.[\w-]{1,63}){0,6}\.[A-Za-z][\w-]{1,62}",
        scope="word",
    ),
    make_rule(
        "home folder",
        "/home/,/users/,\\users\\",
        rf"(?i)(?P<quote>[\"'`])(?:[a-z]:)?(?:/home/|[\\/]{{1,8}}Users[\\/]{{1,8}}){_NAME}{_MORE}(?=(?P=quote))",
        r"\g<quote>~",
    ),
    make_rule(
        "home folder",
        "/home/",
        rf"(?:(?<![\w.)\]}}-])|(?<=/var)|(?<=/usr)|(?<=/export)|(?<=/data)|(?<=/mnt))"
        rf"/home/{_PLACE_WORDS}(?:{_NAME}{_MORE}(?=/)|{_NAME})",
        "~",
    ),
    make_rule("home folder", "/users/", rf"/Users/(?:{_NAME}{_MORE}(?=/)|{_NAME})", "~"),
    make_rule(
        "home folder",
        "users\\,users/",
        rf"(?i)\b[a-z]:[\\/]{{1,8}}Users[\\/]{{1,8}}(?:{_NAME}{_MORE}(?=[\\/])|{_NAME})",
        "~",
    ),
    make_rule("home folder", "\\home\\", rf"(?i)\\{{1,8}}home\\{{1,8}}{_NAME}", r"\\~"),
    make_rule("home folder", "/root", r"/root(?=[/\s\"'`:]|$)", "~"),
    make_rule(
        "home folder",
        "-users-,-home-",
        rf"(?i)(?<![\w-])(?:[a-z]-)?-(?:Users|home)-{_PLACE_WORDS}[^-/\\\s\"'`:]+(?=[-/\\\s\"'`:]|$)",
        "-~",
    ),
)
"""The rules. A home folder is replaced by `~`, so that paths stay readable."""
