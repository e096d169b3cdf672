using System;

namespace BigPile.Perf.Sequences;

/// <summary>Bytes of one worker, with no cache line that another worker's lie in.</summary>
internal sealed class OwnRoom
{
    private const int ApartBytes = 128;

    private readonly byte[] _bytes;
    private readonly int _lengthBytes;

    private OwnRoom(int lengthBytes)
    {
        _lengthBytes = lengthBytes;
        _bytes = new byte[ApartBytes + lengthBytes + ApartBytes];
    }

    internal Span<byte> Bytes => new(_bytes, ApartBytes, _lengthBytes);

    /// <summary>Makes a room for each worker.</summary>
    internal static OwnRoom[] Make(int threads, int lengthBytes)
    {
        var rooms = new OwnRoom[threads];
        for (int i = 0; i < threads; i++)
            rooms[i] = new OwnRoom(lengthBytes);
        return rooms;
    }
}
