using System;
using System.Collections.Generic;
using System.IO;
using System.Threading;
using BigPile.Allocation;
using BigPile.Catalog;
using Microsoft.Extensions.Logging;

namespace BigPile.Storage;

/// <summary>The directory of a mapped pile: lock, superblock, catalog and segment files.</summary>
/// <remarks>
/// A segment exists when the superblock lists it: its file is made first and listed after its head was written, and is struck from the
/// list before the file goes. So a kill leaves at most a file that nobody lists, which the next owner overwrites.
/// Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class PileDirectory : IDisposable
{
    private const string SuperblockName = "superblock";
    private const string CatalogName = "catalog";

    private readonly Lock _lock = new();
    private readonly DirectoryLock _owner;
    private readonly SuperblockFile _superblock;
    private readonly SuperblockState _state;

    private PileDirectory(string path, DirectoryLock owner, PileOptions options, ILogger logger)
    {
        Path = path;
        _owner = owner;
        _superblock = new SuperblockFile(System.IO.Path.Combine(path, SuperblockName));
        try
        {
            _state = _superblock.Read() ?? CreateState(options);
            if (_state.PageBytes != SizeClasses.PageBytes)
                throw new PileStorageException($"The pile in '{path}' has pages of {_state.PageBytes:N0} bytes; this version uses {SizeClasses.PageBytes:N0}.");
            Catalog = FileCatalog.Open(System.IO.Path.Combine(path, CatalogName), logger);
        }
        catch
        {
            _superblock.Dispose();
            throw;
        }
        Segments = new MappedSegmentStore(this);
        WasClean = _state.IsClean;
        _state.IsClean = false;
        _superblock.Write(_state, durable: true);
    }

    internal string Path { get; }

    internal FileCatalog Catalog { get; }

    internal MappedSegmentStore Segments { get; }

    internal long SegmentBytes => _state.SegmentBytes;

    internal Guid PileId => _state.PileId;

    internal uint GenerationBase => _state.GenerationBase;

    internal ulong VersionLimit => _state.VersionLimit;

    /// <summary>Whether the last owner closed the pile; true for a new one.</summary>
    internal bool WasClean { get; }

    /// <summary>The segments that exist, and their lengths in bytes.</summary>
    internal IReadOnlyDictionary<int, long> ListedSegments => _state.Segments;

    /// <summary>Takes over a directory, and makes a pile in it if there is none.</summary>
    /// <exception cref="PileStorageException">It can't be used.</exception>
    internal static PileDirectory Open(PileOptions options, ILogger logger)
    {
        string path = System.IO.Path.GetFullPath(options.Directory!);
        DirectoryLock? owner = null;
        try
        {
            Directory.CreateDirectory(path);
            owner = DirectoryLock.Take(path);
            return new PileDirectory(path, owner, options, logger);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            owner?.Dispose();
            throw new PileStorageException($"The directory '{path}' can't be used for a pile: {e.Message} Check that it exists and can be written.", e);
        }
        catch
        {
            owner?.Dispose();
            throw;
        }
    }

    internal void AddSegment(int number, long lengthBytes)
    {
        lock (_lock)
        {
            _state.Segments[number] = lengthBytes;
            _superblock.Write(_state, durable: false);
        }
    }

    internal void RemoveSegment(int number, uint generationBase)
    {
        lock (_lock)
        {
            _state.Segments.Remove(number);
            _state.GenerationBase = generationBase;
            _superblock.Write(_state, durable: false);
        }
    }

    /// <summary>Reserves versions: none above the limit is used before the file says so.</summary>
    internal void RaiseVersionLimit(ulong limit)
    {
        lock (_lock)
        {
            _state.VersionLimit = limit;
            _superblock.Write(_state, durable: false);
        }
    }

    internal void Flush()
    {
        Catalog.Flush();
        lock (_lock)
            _superblock.Write(_state, durable: true);
    }

    /// <summary>States that everything is written through. Nothing may change any more.</summary>
    internal void MarkClean(ulong lastVersion)
    {
        Catalog.Flush();
        lock (_lock)
        {
            _state.VersionLimit = lastVersion;
            _state.IsClean = true;
            _superblock.Write(_state, durable: true);
        }
    }

    public void Dispose()
    {
        Catalog.Dispose();
        _superblock.Dispose();
        _owner.Dispose();
    }

    private static SuperblockState CreateState(PileOptions options) => new()
    {
        PileId = Guid.NewGuid(),
        PageBytes = SizeClasses.PageBytes,
        SegmentBytes = options.SegmentBytes,
    };
}
