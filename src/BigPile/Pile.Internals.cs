using BigPile.Access;
using BigPile.Lifecycle;
using BigPile.Tables;
using BigPile.Telemetry;
using Microsoft.Extensions.Logging;

namespace BigPile;

/// <summary>What the libraries above use of a pile beside its public members.</summary>
public sealed partial class Pile
{
    /// <summary>What tables use of the pile.</summary>
    internal TableHeap Tables { get; }

    internal bool IsDisposed => _blocks.Barrier.IsClosed;

    bool IMeteredPile.IsDisposed => IsDisposed;

    int IMeteredPile.LeaseCount => LeaseCount;

    internal int LeaseCount => _blocks.Leases.Count;

    internal ILogger Logger { get; }

    internal BlockStore Blocks => _blocks;

    /// <summary>Reads payloads by their pointers. For tests.</summary>
    internal BlockReader Reader => _reader;

    internal ObjectStore Objects => _objects;

    /// <summary>Owns catalog, codec, versions, files and background work.</summary>
    internal PileEngine Engine => _engine;
}
