"""The slow Atlantis Rising in parts; each module builds on the one before it.

tables, table, placing, payment, cards, building, actions, rounds.
"""
