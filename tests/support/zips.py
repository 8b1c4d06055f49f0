"""ZIP files with any members, as a stranger might write them."""

import io
import zipfile


def pack_zip(*members: tuple[str, str | bytes]) -> bytes:
    """Return a ZIP file of these names and contents; a name may be there twice."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return packed.getvalue()
