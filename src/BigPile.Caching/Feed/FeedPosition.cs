namespace BigPile.Caching.Feed;

/// <summary>How far a reader of a feed has come. Written by the reader.</summary>
internal sealed class FeedPosition
{
    internal ulong Version;
}
