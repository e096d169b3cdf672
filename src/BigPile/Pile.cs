using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.IO;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Allocation;
using BigPile.Catalog;
using BigPile.Codec.Payloads;
using BigPile.Concurrency;
using BigPile.Durability;
using BigPile.Memory;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace BigPile;

/// <summary>A heap of objects in large segments of memory that the garbage collector does not look into.</summary>
/// <remarks>
/// <para>
/// <c>Put</c> serializes an object and gives an 8-byte pointer; <c>Get</c> gives an equal object back. The application holds pointers,
/// and the collector sees nothing of what they lead to.
/// </para>
/// <para>
/// Thread safety: every member may be called by any number of threads at once. Reads take no lock. A read concurrent with a replacement
/// or a deletion of the same pointer sees the old object, the new object, or that it was deleted; never a mixture.
/// <see cref="Dispose"/> waits for calls that run, and every later one throws <see cref="ObjectDisposedException"/>.
/// </para>
/// </remarks>
[SuppressMessage("Naming", "CA1710", Justification = "A pile is what it is called.")]
public sealed unsafe partial class Pile : IDisposable, IEnumerable<PileEntry>
{
    private const string RedoName = "redo";

    private readonly SegmentMap _map;
    private readonly Allocator _allocator;
    private readonly Stripes _stripes = null!;
    private readonly PileDirectory? _directory;
    private readonly BlockInspector? _inspector;
    private readonly PageExaminer? _examiner;
    private readonly RedoFile? _redo;
    private readonly FlushLog? _log;
    private readonly ITimer? _flushTimer;
    private readonly bool _isSealed;
    private readonly bool _checksEveryRead;
    private readonly long _limitBytes;
    private readonly Lock _closing = new();
    private readonly ConcurrentQueue<nint> _retired = new();
    private bool _hasRetired;
    private long _linkCount;
    private int _gate;

    /// <summary>Makes a pile in native memory without a limit.</summary>
    public Pile() : this(new PileOptions())
    {
    }

    /// <summary>Makes a pile, or opens the one in the options' directory.</summary>
    /// <exception cref="ArgumentException">An option is out of its range.</exception>
    /// <exception cref="PileStorageException">
    /// The directory can't be used: locked by another process, damaged, or of another format.
    /// </exception>
    public Pile(PileOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        Validate(options);
        ThreadPresence.RefuseInside();
        Logger = options.Logger ?? NullLogger.Instance;
        Background = new BackgroundWork(Logger, () => IsClosed);
        _limitBytes = options.MaxBytes;
        _writerPatience = options.WriterPatience;
        Name = options.Name ?? (options.Directory is { } path
            ? Path.GetFileName(Path.TrimEndingDirectorySeparator(Path.GetFullPath(path)))
            : "pile");
        if (options.Directory != null)
        {
            _directory = PileDirectory.Open(options, Logger);
            Store = StoreKind.Mapped;
        }
        else
        {
            Store = options.Store;
        }
        try
        {
            long segmentBytes = _directory?.SegmentBytes ?? Math.Min(options.SegmentBytes, LargestSegmentFor(options.MaxBytes));
            SegmentStore store = _directory != null ? _directory.Segments : CreateStore(options, Background);
            Catalog = _directory != null ? _directory.Catalog : new MemoryCatalog();
            Codec = options.Codec ?? new MessagePackPileCodec(Catalog, options.CodecOptions);
            if (_directory != null)
                CodecStamp.Check(Catalog, Codec, _directory.Path);
            _map = new SegmentMap(segmentBytes);
            _stripeFile = OpenStripeFile(_directory);
            _stripes = _stripeFile?.Stripes ?? new Stripes();
            Guid pileId = _directory?.PileId ?? Guid.NewGuid();
            _allocator = new Allocator(_map, store, _limitBytes, pileId, _directory?.GenerationBase ?? 0);
            if (Stretch.IsWorthwhile && Store != StoreKind.Managed)
                _allocator.Pool.Touch = (segment, first, end) =>
                    ThreadPool.UnsafeQueueUserWorkItem(new Stretch(this, segment, first, end), preferLocal: false);
            StartVersions(pileId, _directory?.VersionLimit ?? 0);
            Recovery = new PileRecovery(this, options);
            PileMeter.Add(this);
            if (_directory == null)
                return;
            IsReadOnly = _directory.IsReadOnly;
            _isSealed = _directory.HasChecksums;
            _checksEveryRead = _isSealed && options.Checksums == PileChecksums.AtEveryRead;
            _moved = IsReadOnly ? null : MovedTable.Open(_directory.Files);
            _inspector = new BlockInspector(_allocator.Pool, _isSealed && options.Checksums != PileChecksums.Off)
            {
                LeftAs = _directory.LeftAs,
                Moved = _moved,
                Epoch = _directory.LogEpoch,
                HasTracesOfCut = _directory.HasTracesOfCut,
                GenerationSkip = _directory.GenerationSkip,
                FlushedVersion = _directory.FlushedVersion,
                CutVersion = _directory.CutVersion,
            };
            if (_directory.HasTracesOfCut && !IsReadOnly)
                _allocator.Pool.GenerationAbove = new LostLayouts(_allocator.Pool, _inspector, _isSealed).GenerationAbove;
            _examiner = new PageExaminer(_map, _allocator, _inspector, _directory.Faults);
            if (IsReadOnly)
            {
                LoadForReading(_directory);
                return;
            }
            _redo = RedoFile.Open(_directory.Files, RedoName);
            _log = new FlushLog(_directory, options.FlushLogBytes);
            _allocator.QuarantineOverfull = RequestFlush;
            Load(_directory, _redo, _log);
            CodecStamp.Enter(Catalog, Codec);
            _stripes = _stripeFile!.EndRecovery();
            _flushTimer = StartFlushTimer(options);
            Recovery.Start(); // last: from here on somebody is inside
        }
        catch (Exception e) when (_directory != null && e is IOException or UnauthorizedAccessException)
        {
            string directory = _directory!.Path;
            AbandonUnopened();
            throw new PileStorageException(
                $"The pile in '{directory}' can't be opened: {e.Message} Make room, or make its files accessible, and open it again.", e);
        }
        catch
        {
            AbandonUnopened();
            throw;
        }
    }

    /// <summary>Where the segments are.</summary>
    public StoreKind Store { get; }

    /// <summary>What the pile is called in metrics.</summary>
    public string Name { get; }

    /// <summary>Whether the pile was opened for reading only.</summary>
    public bool IsReadOnly { get; }

    /// <summary>What became of the pages that were found when a mapped pile was opened. Of other stores: nothing to do.</summary>
    public PileRecovery Recovery { get; } = null!;

    /// <summary>The directory of a mapped pile, or <see langword="null"/>.</summary>
    public string? DirectoryPath => _directory?.Path;

    /// <summary>The directory of a mapped pile, through which every operation on its files goes.</summary>
    internal HeldDirectory? Files => _directory?.Files;

    internal PileCatalog Catalog { get; }

    internal IPileCodec Codec { get; }

    internal ILogger Logger { get; }

    /// <summary>Runs what the pile and its tables do in the background.</summary>
    internal BackgroundWork Background { get; }

    internal Allocator Allocator => _allocator;

    internal SegmentMap Map => _map;

    /// <summary>Opens the mapped pile in a directory, or makes one there.</summary>
    /// <param name="directory">The directory; made if it is missing.</param>
    /// <param name="options">Everything else; defaults when left out.</param>
    /// <exception cref="PileStorageException">
    /// The directory can't be used: locked by another process, damaged, or of another format.
    /// </exception>
    public static Pile Open(string directory, PileOptions? options = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(directory);
        options ??= new PileOptions();
        return new Pile(options.For(directory));
    }

    /// <summary>Makes the calling thread known as being inside the pile. Each call is paired with an exit in a finally block.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ThreadPresence Enter()
    {
        ThreadPresence presence = ThreadPresence.Mine;
        presence.Enter();
        if (Volatile.Read(ref _gate) == GateClosed)
            RefuseClosed(presence);
        return presence;
    }

    /// <summary>As <see cref="Enter"/>; a closed pile is not entered, and <see langword="false"/> comes back.</summary>
    internal bool TryEnter(out ThreadPresence presence)
    {
        presence = ThreadPresence.Mine;
        presence.Enter();
        if (Volatile.Read(ref _gate) != GateClosed)
            return true;
        presence.Exit();
        return false;
    }

    /// <summary>
    /// As <see cref="Enter"/>, for a call that changes something. A caller holds no lock that others inside the pile wait for.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ThreadPresence EnterToChange()
    {
        ThreadPresence presence = ThreadPresence.Mine;
        presence.Enter();
        if (Volatile.Read(ref _gate) != GateOpen)
            WaitAtGate(presence);
        return presence;
    }

    /// <summary>Leaves the pile.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Exit(ThreadPresence presence)
    {
        presence.Exit();
        GC.KeepAlive(this); // a pile that nobody refers to any more must not be collected under its own last call
    }

    /// <summary>Leaves the pile after something was freed, and gives memory back if there is enough of it.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void ExitAfterFree(ThreadPresence presence)
    {
        bool wantsTrim = _allocator.WantsTrim || _hasRetired;
        presence.Exit();
        if (wantsTrim && !presence.IsInside)
            TrimQuietly();
    }
}
