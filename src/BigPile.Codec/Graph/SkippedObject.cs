namespace BigPile.Codec.Graph;

/// <summary>Stands in the list of numbered objects for one whose type is gone.</summary>
internal sealed class SkippedObject
{
    public static readonly SkippedObject Instance = new();
}
