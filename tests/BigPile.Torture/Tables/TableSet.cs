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

    private const int Cycle = 16; // of so many keys in a row, each table has its share

    private readonly IKeyTable[] _tables;

    internal TableSet(PileCache cache)
    {
        Cache = cache;
        _tables =
        [
            ByNumber("numbers"), ByName("names"), ByNumber("owners"), ByNumber("mortals"), ByName("limited"),
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

    private KeyTable<long> ByNumber(string name) => new(Cache, name, static key => key, static key => (int)key);

    private KeyTable<string> ByName(string name) => new(
        Cache, name, static key => string.Create(CultureInfo.InvariantCulture, $"key {key}"),
        static key => int.Parse(key.AsSpan(4), CultureInfo.InvariantCulture));
}
