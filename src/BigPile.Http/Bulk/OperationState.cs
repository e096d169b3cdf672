namespace BigPile.Http.Bulk;

/// <summary>How far an operation is.</summary>
internal enum OperationState
{
    Running,
    Done,
    Failed,
    Cancelled,
}
