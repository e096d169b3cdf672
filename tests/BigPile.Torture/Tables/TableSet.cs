using System;
using System.Collections.Generic;
using System.Globalization;
using BigPile.Caching;
using BigPile.Torture.Journals;

namespace BigPile.Torture.Tables;

/// <summary>The tables of a run, and which keys belong to which.</summary>
internal sealed class TableSet
{
    internal const int RoleCount = (int)TableRole.Limited + 1;

    private const long SmallFeedBytes = 256 << 10;
    private const long LargeFeedBytes = 16 << 20; // more than a process comes to change before it is killed
    private const int Cycle = 16; // of so many keys in a row, each table has its share

    private readonly IKeyTable[] _tables;

    internal TableSet(PileCache cache)
    {
        Cache = cache;
        _tables =
        [
            ByNumber("numbers", TableRole.Numbers), ByName("names", TableRole.Names), ByNumber("owners", TableRole.Owners),
            ByNumber("mortals", TableRole.Expirables), ByName("limited", TableRole.Limited),
        ];
    }

    internal PileCache Cache { get; }

    internal IReadOnlyList<IKeyTable> All => _tables;

    internal static TableRole RoleOf(int key) => (key % Cycle) switch
    {
        < 5 => TableRole.Numbers,
        < 10 => TableRole.Names,
        < 12 => TableRole.Owners,
        < 14 => TableRole.Expirables,
        _ => TableRole.Limited,
    };

    internal static int PairOf(int key) => key / Journal.KeysPerPair;

    internal static string TagOf(int pair, int tag) => string.Create(CultureInfo.InvariantCulture, $"tag {pair} {tag}");

    internal IKeyTable Of(int key) => _tables[(int)RoleOf(key)];

    internal IKeyTable Of(TableRole role) => _tables[(int)role];

    /// <summary>Whether the window of a table's changes may be overrun.</summary>
    internal static bool HasSmallFeed(TableRole role) => role is TableRole.Numbers or TableRole.Limited;

    /// <summary>Adds the table's feed to options. It stays the same: another window would begin anew. Values fill the small one.</summary>
    internal static TableOptions WithFeed(TableOptions options, TableRole role) => options with
    {
        FeedBytes = HasSmallFeed(role) ? SmallFeedBytes : LargeFeedBytes,
        FeedsValues = HasSmallFeed(role),
    };

    private KeyTable<long> ByNumber(string name, TableRole role) =>
        new(Cache, OptionsOf(name, role), static key => key, static key => (int)key);

    private static TableOptions OptionsOf(string name, TableRole role) =>
        WithFeed(new TableOptions(name) { CollisionMode = CollisionMode.Durable }, role);

    private KeyTable<string> ByName(string name, TableRole role) => new(
        Cache, OptionsOf(name, role), static key => string.Create(CultureInfo.InvariantCulture, $"key {key}"),
        static key => int.Parse(key.AsSpan(4), CultureInfo.InvariantCulture));
}
