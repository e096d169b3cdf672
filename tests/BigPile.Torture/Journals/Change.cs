namespace BigPile.Torture.Journals;

/// <summary>What is being done to an object or key.</summary>
internal enum Change
{
    None,
    Put,
    Replace,
    Delete,
}
