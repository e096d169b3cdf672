using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using BigPile.Access;
using BigPile.Concurrency;
using BigPile.Durability;
using BigPile.Lifecycle;
using BigPile.Tables;
using BigPile.Telemetry;
using Microsoft.Extensions.Logging.Abstractions;

namespace BigPile;

/// <summary>A heap of objects in large segments of memory that the garbage collector does not scan.</summary>
/// <remarks>
/// <para>
/// <c>Put</c> serializes an object and returns an 8-byte pointer; <c>Get</c> returns an equal object. The application holds pointers,
/// and the collector sees nothing behind them.
/// </para>
/// <para>
/// Thread safety: every member may be called by any number of threads concurrently. Reads take no lock. A read that is concurrent with a
/// replacement or a deletion of the same pointer sees the old object, the new object, or that it was deleted; never a mixture.
/// <see cref="Dispose"/> waits for running calls, and every later call throws <see cref="ObjectDisposedException"/>.
/// </para>
/// </remarks>
[RequiresUnreferencedCode(Codec.Schema.TrimmingCheck.TrimmingMessage), RequiresDynamicCode(Codec.Schema.TrimmingCheck.NativeAotMessage)]
[SuppressMessage("Naming", "CA1710", Justification = "A pile is what it is called.")]
public sealed partial class Pile : IDisposable, IEnumerable<PileEntry>, IMeteredPile
{
    private readonly PileEngine _engine;
    private readonly BlockStore _blocks;
    private readonly BlockReader _reader;
    private readonly BlockWriter _writer;
    private readonly Replacer _replacer;
    private readonly PartWriter _partWriter;
    private readonly Remover _remover;
    private readonly Lessor _lessor;
    private readonly ObjectStore _objects;
    private readonly ObjectBatch _batch;
    private readonly BlockWalk _walk;
    private readonly Compactor _compactor;
    private readonly StatisticsCounter _counter;

    /// <summary>Creates a pile in native memory, limited to 70 % of the memory that the process may use.</summary>
    public Pile() : this(new PileOptions())
    {
    }

    /// <summary>Creates a pile, or opens the one in the options' directory.</summary>
    /// <exception cref="ArgumentException">An option is out of its range.</exception>
    /// <exception cref="PileStorageException">
    /// The directory can't be used: locked by another process, damaged, or of another format.
    /// </exception>
    /// <exception cref="OperationCanceledException"><see cref="PileOptions.OpenStop"/> was cancelled.</exception>
    public Pile(PileOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        options.Validate();
        options = SharedPileDirectory.Locate(options);
        PileRegions.ThrowIfInRegion();
        Logger = options.Logger ?? NullLogger.Instance;
        Name = options.NameInMetrics;
        Store = options.Directory != null ? StoreKind.Mapped : options.Store;
        IsReadOnly = options.ReadOnly;
        using Activity? opening =
            options.Directory == null ? null : PileActivity.Start(PileTelemetry.OpenActivity, PileTelemetry.PileNameTag, Name);
        _engine = opening.Watch(() => PileEngine.Open(options, Name, Logger));
        _blocks = _engine.Blocks;
        _reader = new BlockReader(_blocks, _engine.Shared);
        _writer = new BlockWriter(_blocks);
        _replacer = new Replacer(_blocks);
        _partWriter = new PartWriter(_blocks, _replacer);
        _remover = new Remover(_blocks);
        _lessor = new Lessor(_blocks, _engine.Background, _engine.Release);
        _objects = new ObjectStore(_engine.Codec, _reader, _writer, _replacer, IsReadOnly ? DirectoryPath : null);
        _batch = new ObjectBatch(_blocks, _reader, _engine.Codec, _objects, _remover);
        _walk = new BlockWalk(_blocks, _reader, _engine.Shared);
        _compactor = new Compactor(_blocks, _walk, new Relocator(_blocks, _replacer));
        _counter = new StatisticsCounter(_engine);
        Tables = new TableHeap(_engine, _reader, _remover, _walk, _lessor, _objects, Logger);
        Encoding = new PileEncoding(_engine.Codecs);
        Recovery = new PileRecovery(
            _engine, new RecoveryWalk.Plan(Name, options.Warmup, options.WarmupBytesPerSecond, options.TimeProvider, Logger));
        if (!IsReadOnly)
            _ = _engine.Background.TryRun("logging the limit", () => _engine.Limit.Log(Logger, Name)); // may throw
        _engine.Meter.Add(this);
        Recovery.Start(); // last: from here on other threads are in the pile
    }

    /// <summary>Where the segments are.</summary>
    public StoreKind Store { get; }

    /// <summary>How objects are encoded, and which may be stored.</summary>
    public PileEncoding Encoding { get; }

    /// <summary>The pile's name in metrics.</summary>
    public string Name { get; }

    /// <summary>Whether the pile was opened for reading only.</summary>
    public bool IsReadOnly { get; }

    /// <summary>The recovery of the pages that were found when a mapped pile was opened. Other stores have nothing to recover.</summary>
    public PileRecovery Recovery { get; }

    /// <summary>The directory of a mapped pile, or <see langword="null"/>.</summary>
    public string? DirectoryPath => _engine.Directory?.Path;

    /// <summary>Opens the mapped pile in a directory, or creates one there.</summary>
    /// <param name="directory">
    /// The directory, created if it is missing; or the name of a pile with <see cref="PileOptions.Shared"/>.
    /// </param>
    /// <param name="options">All other options; the defaults if left out.</param>
    /// <exception cref="PileStorageException">
    /// The directory can't be used: locked by another process, damaged, or of another format.
    /// </exception>
    public static Pile Open(string directory, PileOptions? options = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(directory);
        options ??= new PileOptions();
        return new Pile(options.For(directory));
    }
}
