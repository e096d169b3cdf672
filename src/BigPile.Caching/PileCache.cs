using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Linq;
using System.Text;
using System.Threading;
using BigPile.Caching.Entries;
using BigPile.Caching.Keys;
using BigPile.Catalog;
using BigPile.Concurrency;

namespace BigPile.Caching;

/// <summary>The tables of a pile, by name.</summary>
/// <remarks>
/// One cache serves a pile at a time. On a mapped pile the tables that were there before come back with all their entries: their indexes
/// are rebuilt from the entries when the cache is made. Thread safety: all members may be called concurrently.
/// </remarks>
public sealed class PileCache : IDisposable
{
    private const int MaxNameBytes = 200;

    private readonly Lock _lock = new();
    private readonly bool _ownsPile;
    private readonly Dictionary<string, TableCore> _cores = new(StringComparer.Ordinal);
    private readonly Dictionary<(string Name, Type ValueType), CacheTable> _tables = [];
    private bool _disposed;

    /// <summary>Makes the cache of a pile, with the tables that the pile holds.</summary>
    /// <param name="pile">The pile.</param>
    /// <param name="ownsPile">Whether disposing the cache disposes the pile.</param>
    public PileCache(Pile pile, bool ownsPile = false)
    {
        ArgumentNullException.ThrowIfNull(pile);
        if (pile.IsReadOnly)
            throw new ArgumentException("Tables need a pile that can be changed: open it without PileOptions.ReadOnly.", nameof(pile));
        Pile = pile;
        _ownsPile = ownsPile;
        LoadDefinitions();
        LoadEntries();
    }

    /// <summary>The pile that holds keys and values.</summary>
    public Pile Pile { get; }

    /// <summary>The names of all tables, in ordinal order.</summary>
    public IReadOnlyList<string> TableNames
    {
        get
        {
            lock (_lock)
                return [.. _cores.Keys.Order(StringComparer.Ordinal)];
        }
    }

    /// <summary>Gives a table, and makes it if it does not exist.</summary>
    /// <typeparam name="TKey">The type of the keys: <see cref="string"/>, <see cref="long"/> or <see cref="Guid"/>.</typeparam>
    /// <typeparam name="TValue">The type of the values. A table may be used with different ones; a value comes back as it was put.</typeparam>
    /// <param name="name">The table's name: 1 to 200 bytes in UTF-8.</param>
    /// <exception cref="ArgumentException">The name is empty or too long.</exception>
    /// <exception cref="InvalidOperationException">The table exists, with keys of another type.</exception>
    /// <exception cref="NotSupportedException">Tables can't have such keys.</exception>
    public CacheTable<TKey, TValue> GetOrCreateTable<TKey, TValue>(string name)
        where TKey : notnull
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        if (Encoding.UTF8.GetByteCount(name) > MaxNameBytes)
            throw new ArgumentException($"The name '{name}' is over {MaxNameBytes} bytes long.", nameof(name));
        KeyKind kind = KeyCodec.KindOf<TKey>();
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            if (!_cores.TryGetValue(name, out TableCore? core))
                core = DefineLocked(name, kind);
            if (core.KeyKind != kind)
                throw new InvalidOperationException($"The table '{name}' has keys of kind {core.KeyKind}, not {kind}.");
            return CoverLocked<TKey, TValue>(core);
        }
    }

    /// <summary>Gives a table that exists.</summary>
    /// <typeparam name="TKey">The type of the keys.</typeparam>
    /// <typeparam name="TValue">The type of the values.</typeparam>
    /// <param name="name">The table's name.</param>
    /// <param name="table">The table.</param>
    /// <returns><see langword="false"/> when there is no table of that name with such keys.</returns>
    public bool TryGetTable<TKey, TValue>(string name, [NotNullWhen(true)] out CacheTable<TKey, TValue>? table)
        where TKey : notnull
    {
        ArgumentNullException.ThrowIfNull(name);
        lock (_lock)
        {
            bool exists = _cores.TryGetValue(name, out TableCore? core) && core.KeyKind == KeyCodec.KindOf<TKey>();
            table = exists ? CoverLocked<TKey, TValue>(core!) : null;
            return exists;
        }
    }

    /// <summary>What a table holds, whatever its types.</summary>
    /// <exception cref="KeyNotFoundException">There is no such table.</exception>
    /// <exception cref="ObjectDisposedException">The cache is disposed.</exception>
    public TableStatistics GetStatistics(string name)
    {
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            return _cores.TryGetValue(name, out TableCore? core)
                ? core.Statistics
                : throw new KeyNotFoundException($"There is no table '{name}'.");
        }
    }

    /// <summary>Frees the indexes once the calls that run have ended, and the pile if the cache owns it. On a mapped pile all entries stay.</summary>
    public void Dispose()
    {
        lock (_lock)
        {
            if (_disposed)
                return;
            _disposed = true;
            if (_ownsPile)
                Pile.Dispose();
            foreach (TableCore core in _cores.Values)
                core.Close();
            ThreadPresence.WaitForOthers();
            foreach (TableCore core in _cores.Values)
                core.Dispose();
        }
    }

    private static byte[] DefinitionOf(string name, KeyKind kind) => [(byte)kind, .. Encoding.UTF8.GetBytes(name)];

    private TableCore DefineLocked(string name, KeyKind kind)
    {
        int id = Pile.Catalog.GetOrAdd(CatalogKind.Table, DefinitionOf(name, kind));
        if (id > EntryHead.MaxTableId)
            throw new PileException($"A pile can't have more than {EntryHead.MaxTableId:N0} tables.");
        return _cores[name] = new TableCore(Pile, id, name, kind);
    }

    private CacheTable<TKey, TValue> CoverLocked<TKey, TValue>(TableCore core)
        where TKey : notnull
    {
        if (!_tables.TryGetValue((core.Name, typeof(TValue)), out CacheTable? table))
            _tables[(core.Name, typeof(TValue))] = table = new CacheTable<TKey, TValue>(core);
        return (CacheTable<TKey, TValue>)table;
    }

    private void LoadDefinitions()
    {
        for (int id = 1; Pile.Catalog.TryGet(CatalogKind.Table, id, out ReadOnlyMemory<byte> definition); id++)
        {
            string name = Encoding.UTF8.GetString(definition.Span[1..]);
            _cores[name] = new TableCore(Pile, id, name, (KeyKind)definition.Span[0]);
        }
    }

    private void LoadEntries()
    {
        if (_cores.Count == 0)
            return;
        TableCore[] byId = [.. _cores.Values.OrderBy(static core => core.Id)];
        foreach (PileEntry entry in Pile)
        {
            if (entry.Kind == PayloadKind.TableEntry)
                LoadEntry(entry, byId);
        }
    }

    private unsafe void LoadEntry(PileEntry entry, TableCore[] byId)
    {
        ThreadPresence presence = Pile.Enter();
        try
        {
            Pile.EntryView view = Pile.ViewEntry(entry.Pointer.Address);
            EntryHead head = entry.SizeBytes < EntryHead.SizeBytes ? default : *(EntryHead*)view.Payload;
            if (head.TableId == 0 || head.TableId > byId.Length || !head.FitsIn(view.PayloadBytes))
                throw new PileStorageException($"The table entry at {entry.Pointer} is damaged. Restore the pile's files from a copy.");
            byId[head.TableId - 1].AddFound(entry.Pointer.Address);
        }
        finally
        {
            Pile.ExitAfterFree(presence);
        }
    }
}
