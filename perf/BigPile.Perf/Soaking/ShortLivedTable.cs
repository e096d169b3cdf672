using System;
using System.Globalization;
using BigPile.Caching;

namespace BigPile.Perf.Soaking;

/// <summary>Creates a table, fills and drops it, and creates it again: it must be empty, and the old reference must fail.</summary>
internal sealed class ShortLivedTable(SoakPlace place, int worker, SoakTally tally)
{
    private const int Entries = 200;
    private const int ValueBytes = 100;

    private readonly string _name = string.Create(CultureInfo.InvariantCulture, $"passing {worker}");
    private readonly byte[] _value = new byte[ValueBytes];
    private ushort _version;

    internal void Pass()
    {
        tally.Count(SoakKind.DropTable);
        CacheTable<string, byte[]> table = Make();
        if (table.Count != 0)
            place.Errors.Report($"the table '{_name}' was dropped, and has {table.Count:N0} entries when it is made again");
        _version++;
        for (int i = 0; i < Entries; i++)
        {
            SoakValue.Write(_value, IdOf(i), _version);
            table.PutBytes(KeyOf(i), _value, out _);
        }
        for (int i = 0; i < Entries; i++)
            Report(i, table.TryGet(KeyOf(i), out byte[]? value) ? SoakValue.WhyNot(value, IdOf(i), _version, ValueBytes) : "is not there");
        if (!place.Cache.DropTable(_name))
            place.Errors.Report($"the table '{_name}' was not there to be dropped");
        if (!IsDropped(table))
            place.Errors.Report($"the table '{_name}' was dropped, and gives values");
    }

    private CacheTable<string, byte[]> Make() =>
        place.Cache.GetOrCreateTable<string, byte[]>(new TableOptions(_name) { CollisionMode = CollisionMode.Durable });

    private static bool IsDropped(CacheTable<string, byte[]> table)
    {
        try
        {
            return !table.TryGet(KeyOf(0), out _);
        }
        catch (ObjectDisposedException)
        {
            return true;
        }
    }

    private void Report(int number, string? why) => place.Errors.ReportIf($"key {number} of the table '{_name}'", why);

    private static string KeyOf(int number) => string.Create(CultureInfo.InvariantCulture, $"key {number}");

    private uint IdOf(int number) => SoakId.Of(SoakRegion.Passing, worker, number);
}
