namespace BigPile.Codec.Graph;

/// <summary>A placeholder among the numbered objects, for an object whose type no longer exists.</summary>
internal sealed class SkippedObject
{
    public static readonly SkippedObject Instance = new();
}
