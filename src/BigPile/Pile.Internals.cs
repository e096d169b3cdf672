using BigPile.Access;
using BigPile.Lifecycle;
using BigPile.Tables;
using BigPile.Telemetry;
using Microsoft.Extensions.Logging;

namespace BigPile;

/// <summary>What the libraries above use of a pile beside its public members.</summary>
public sealed partial class Pile
{
    /// <summary>The blocks of table entries.</summary>
    internal EntryBlocks Entries { get; }

    /// <summary>Whether the pile was closed.</summary>
    internal bool IsDisposed => _blocks.Barrier.IsClosed;

    bool IMeteredPile.IsDisposed => IsDisposed;

    int IMeteredPile.LeaseCount => LeaseCount;

    /// <summary>The number of leased blocks.</summary>
    internal int LeaseCount => _blocks.Leases.Count;

    internal ILogger Logger { get; }

    /// <summary>Admits readers and writers.</summary>
    internal OperationBarrier Barrier => _blocks.Barrier;

    internal BlockStore Blocks => _blocks;
    internal BlockReader Reader => _reader;
    internal Lessor Lessor => _lessor;
    internal ObjectStore Objects => _objects;

    /// <summary>Owns catalog, codec, versions, files and background work.</summary>
    internal PileEngine Engine => _engine;
}
