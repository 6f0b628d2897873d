"""Objects of other libraries as mechanisms, with the claim that the library makes: one library a file.

A library is imported when a function of its file is called, and not before.
"""
