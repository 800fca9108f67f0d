"""Drawing of views: their figures, cards and colours, and the look they are drawn with."""
