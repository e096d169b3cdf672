namespace BigPile;

/// <summary>Options of the codec.</summary>
public sealed class PileCodecOptions
{
}
