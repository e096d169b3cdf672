namespace BigPile.Http.Bulk;

/// <summary>The state of an operation.</summary>
internal enum OperationState
{
    Running,
    Done,
    Failed,
    Cancelled,
}
