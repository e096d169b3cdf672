using System;
using System.Buffers;
using BigPile.Caching.Entries;

namespace BigPile.Caching.Spill;

/// <summary>An evicted entry that the file does not have yet: a copy of its block.</summary>
/// <remarks>
/// The stripe lock is held to read the bytes, and to return them to the pool. Only the expiry changes, under the pending lock.
/// </remarks>
internal sealed class PendingDemotion : IDisposable
{
    private byte[]? _bytes; // pooled; null once returned

    internal PendingDemotion(ulong hash, ulong version, ReadOnlySpan<byte> payload, Range key)
    {
        Hash = hash;
        Version = version;
        Key = key;
        LengthBytes = payload.Length;
        _bytes = ArrayPool<byte>.Shared.Rent(LengthBytes);
        payload.CopyTo(_bytes);
    }

    /// <summary>Extends the expiry in the copy of a sliding entry, for a use that was not written to the block.</summary>
    internal unsafe void ExtendExpiry(long ticks)
    {
        fixed (byte* payload = _bytes)
        {
            if (ticks > new EntryHead(payload).ExpiresAt)
                EntryHead.SetExpiry(payload, ticks);
        }
    }

    internal ulong Hash { get; }

    internal ulong Version { get; }

    /// <summary>The key's range in the payload.</summary>
    internal Range Key { get; }

    /// <summary>The length of the payload; the pooled array may be longer.</summary>
    internal int LengthBytes { get; }

    internal ReadOnlySpan<byte> Payload => _bytes.AsSpan(0, LengthBytes);

    internal bool IsOf(ulong hash, ReadOnlySpan<byte> key) => Hash == hash && Payload[Key].SequenceEqual(key);

    /// <summary>Returns the bytes to the pool. The entry can't be found any more.</summary>
    public void Dispose()
    {
        if (_bytes != null)
            ArrayPool<byte>.Shared.Return(_bytes);
        _bytes = null;
    }
}
