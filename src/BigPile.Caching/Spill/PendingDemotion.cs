using System;
using System.Buffers;
using BigPile.Caching.Entries;

namespace BigPile.Caching.Spill;

/// <summary>An entry that has left a table's memory and is not in its file yet: the bytes of its block.</summary>
/// <remarks>What changes is guarded by the gate of its key.</remarks>
internal sealed class PendingDemotion : IDisposable
{
    private readonly int _length;
    private byte[]? _bytes;

    internal PendingDemotion(ulong hash, ulong version, ReadOnlySpan<byte> payload, Range key)
    {
        Hash = hash;
        Version = version;
        Key = key;
        _length = payload.Length;
        _bytes = ArrayPool<byte>.Shared.Rent(_length);
        payload.CopyTo(_bytes);
    }

    /// <summary>Has the copy of a sliding entry say until when it lives, if that is later: a use may not have been written.</summary>
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

    /// <summary>Where in the bytes the key is.</summary>
    internal Range Key { get; }

    internal ReadOnlySpan<byte> Payload => _bytes.AsSpan(0, _length);

    internal bool IsOf(ulong hash, ReadOnlySpan<byte> key) => Hash == hash && Payload[Key].SequenceEqual(key);

    /// <summary>Gives the bytes back. Nobody finds the entry any more.</summary>
    public void Dispose()
    {
        if (_bytes != null)
            ArrayPool<byte>.Shared.Return(_bytes);
        _bytes = null;
    }
}
