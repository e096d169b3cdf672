using BigPile.AspNetCore.Problems;
using BigPile.AspNetCore.Security;
using BigPile.Caching;

namespace BigPile.AspNetCore.Hosting;

/// <summary>The table that a request puts many payloads into, made when there is one to put: what can't be stored must not leave a table behind.</summary>
/// <param name="tables">The tables of the pile.</param>
/// <param name="name">The table's name.</param>
/// <param name="key">Who asks for it, if clients have keys.</param>
/// <remarks>Thread safety: none; a request has one of its own.</remarks>
internal sealed class PutTarget(ServedTables tables, string name, HeldKey? key = null)
{
    private CacheTable<string, byte[]>? _table;

    /// <summary>Says why nothing can be put into the table, without making it; <see langword="null"/>: as it is now, something can.</summary>
    internal Problem? Check() => tables.CheckPut(name, key);

    /// <summary>Gives the table, and makes it if there is none.</summary>
    /// <returns>Why there is none; <see langword="null"/> when there is.</returns>
    internal Problem? Open(out CacheTable<string, byte[]> table)
    {
        if (_table is { } known)
        {
            table = known;
            return null;
        }
        Problem? refusal = tables.OpenToPut(name, out table, key);
        if (refusal == null)
            _table = table;
        return refusal;
    }

    /// <summary>Gives the table, and makes it if there is none.</summary>
    /// <exception cref="RefusedException">There is none, and there can't be; others may have come in between since it was looked at.</exception>
    internal CacheTable<string, byte[]> Require() =>
        Open(out CacheTable<string, byte[]> table) is { } refusal ? throw new RefusedException(refusal) : table;
}
