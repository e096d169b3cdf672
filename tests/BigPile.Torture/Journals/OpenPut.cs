namespace BigPile.Torture.Journals;

/// <summary>A put in flight whose process was killed and followed by another one: it may have left a whole object.</summary>
internal struct OpenPut
{
    internal int Id;
    internal ObjectVersion Version;
}
