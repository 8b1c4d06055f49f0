"""What each kind of page is given: the contract between Python and the templates.

A template may use every field of its page and nothing else; a test holds both to that.
"""
