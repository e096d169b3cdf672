using System.Threading;

namespace BigPile.Caching.Feed;

/// <summary>How far a reader of a feed has come. Set by the reader, and read by any thread.</summary>
internal sealed class FeedPosition
{
    private ulong _version;

    internal ulong Version
    {
        get => Volatile.Read(ref _version);
        set => Volatile.Write(ref _version, value);
    }
}
