"""Call trees of both sides, aligned level by level.

A node is a position in a step, such as the third ``aten::add_`` in a call of a module; its values
are those of this position in every step. The children of two nodes that belong together are
aligned as sequences, so that an operator that was inserted, removed or renamed shifts none of its
siblings. The backward pass lies under the module of its forward operator.
"""
