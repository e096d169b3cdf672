using System;
using BigPile.Access;
using BigPile.Catalog;
using BigPile.Concurrency;
using BigPile.Durability;
using BigPile.Memory;
using BigPile.Tables;
using BigPile.Upkeep;
using Microsoft.Extensions.Logging;

namespace BigPile;

/// <summary>What the libraries above see of a pile beside its public members.</summary>
public sealed partial class Pile
{
    /// <summary>The blocks of tables.</summary>
    internal EntryBlocks Entries { get; }

    /// <summary>Tells this opening of the pile from every other one.</summary>
    internal Guid SessionId { get; } = Guid.NewGuid();

    /// <summary>The id of a mapped pile; of other piles, that of the session.</summary>
    internal Guid Id => _keeper.Directory?.PileId ?? SessionId;

    /// <summary>Whether the pile was closed.</summary>
    internal bool IsDisposed => _space.Gate.IsClosed;

    bool IMeteredPile.IsDisposed => IsDisposed;

    int IMeteredPile.LeaseCount => LeaseCount;

    /// <summary>Blocks that are leased.</summary>
    internal int LeaseCount => _space.Leases.Count;

    /// <summary>The directory of a mapped pile, through which every operation on its files goes.</summary>
    internal HeldDirectory? Files => _keeper.Directory?.Files;

    internal PileCatalog Catalog => _keeper.Catalog;

    internal IPileCodec Codec => _keeper.Codec;

    internal ILogger Logger { get; }

    /// <summary>Runs what the pile and its tables do in the background.</summary>
    internal BackgroundWork Background => _keeper.Background;

    /// <summary>Who may come in.</summary>
    internal Gate Gate => _space.Gate;

    internal BlockSpace Space => _space;

    internal Lessor Lessor => _lessor;

    internal ObjectStore Objects => _objects;

    internal Keeper Keeper => _keeper;

    internal BlockReader Reader => _reader;

    /// <summary>Numbers the entries of tables.</summary>
    internal Versions Versions => _keeper.Versions;
}
