using System;
using System.IO;
using BigPile.Caching.Feed;
using BigPile.Memory;

namespace BigPile.Caching.Persistence;

/// <summary>A feed's window in a mapped file, beside those of the table's index.</summary>
internal sealed unsafe class FileFeedStorage(IndexFiles files, int tableId) : FeedStorage
{
    private readonly string _name = FileIndexStorage.FeedNameOf(tableId);
    private GrowingMap? _map;

    internal override bool OutlivesProcess => true;

    internal override long LengthBytes => _map?.LengthBytes ?? 0;

    internal override byte* Start => _map == null ? null : _map.Start;

    /// <summary>The length of the window that an earlier process left, and its epoch; 0: there is none, or its head is damaged.</summary>
    internal (long LengthBytes, ulong Epoch) Found()
    {
        using HeldFile? file = files.Directory.TryOpen(_name, FileAccess.Read);
        if (file?.LengthBytes is not { } length || length < FeedWindow.LeastBytes || length > FeedWindow.MostBytes)
            return default;
        byte[] bytes = new byte[FeedHead.ReservedBytes];
        _ = file.Read(bytes, 0);
        fixed (byte* start = bytes)
        {
            var head = (FeedHead*)start;
            return (length, head->IsOf(files.PileId, tableId, length) ? head->Epoch : 0);
        }
    }

    /// <summary>Maps the window that an earlier process left.</summary>
    /// <exception cref="IOException">The file can't be used.</exception>
    internal void Open(long lengthBytes)
    {
        _map?.Dispose();
        _map = GrowingMap.TryOpen(files.Directory, _name, lengthBytes, lengthBytes, lengthBytes, lengthBytes);
    }

    internal override void Create(long lengthBytes)
    {
        Dispose();
        _map = GrowingMap.Create(files.Directory, _name, lengthBytes, lengthBytes);
    }

    internal override void Delete()
    {
        Dispose();
        files.Directory.Delete(_name);
    }

    /// <summary>Whether what is mapped is what its last owner left: in use until a kill, or as it was closed.</summary>
    internal bool IsTrusted()
    {
        if (_map == null)
            return false;
        var head = (FeedHead*)_map.Start;
        return head->ClosedUse == Guid.Empty
            ? !files.WereClosed
            : (!files.WereClosed || files.IsOfLastUse(head->ClosedUse)) && head->ClosedChecksum == ChecksumOf();
    }

    /// <summary>Writes the window through, and then states that it is closed. Nobody changes it any more.</summary>
    internal void Close(Guid use)
    {
        if (_map == null)
            return;
        var head = (FeedHead*)_map.Start;
        head->ClosedChecksum = ChecksumOf();
        head->ClosedUse = use;
        _map.Flush();
    }

    public override void Dispose()
    {
        _map?.Dispose();
        _map = null;
    }

    private uint ChecksumOf() => Layout.Checksum.Of(
        new ReadOnlySpan<byte>(_map!.Start + FeedHead.FloorOffset, (int)(_map.LengthBytes - FeedHead.FloorOffset)));
}
