"""Pages in a browser that is watched for whatever a page should not do."""

from playwright.sync_api import Browser, BrowserContext, Page


def context(browser: Browser, width: int, scheme: str) -> BrowserContext:
    """Return a window of that width in the light or dark scheme."""
    return browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if scheme == "dark" else "light",
    )


def listening(within: BrowserContext, wrong: list[str]) -> Page:
    """Return a page whose complaints, dialogs and broken policies go into ``wrong``."""
    page = within.new_page()
    page.on("console", lambda message: wrong.append(f"{page.url}: {message.text}"))
    page.on("pageerror", lambda error: wrong.append(f"{page.url}: {error}"))
    page.on("dialog", lambda dialog: wrong.append(f"{page.url}: {dialog.message}"))
    return page
