using BigPile.AspNetCore.Tables;
using BigPile.Caching;
using BigPile.Http.Protocol;

namespace BigPile.Http.Entries;

/// <summary>
/// The table of a request with many payloads. It is created with the first valid payload: an invalid one must not leave a table behind.
/// </summary>
/// <param name="tables">The tables of the pile.</param>
/// <param name="name">The table's name.</param>
/// <param name="maker">The key that would own a new table; <see langword="null"/>: the service has no keys.</param>
/// <remarks>Thread safety: none; it belongs to one request.</remarks>
internal sealed class PutTarget(ServedTables tables, string name, ITableCreator? maker = null)
{
    private CacheTable<string, byte[]>? _table;

    /// <summary>Why nothing can be put into the table now, without creating it; <see langword="null"/>: something can.</summary>
    internal Problem? Check() => tables.CheckPut(name, maker) is { } refusal ? ProblemMapper.FromRefusal(refusal) : null;

    /// <summary>Gets or creates the table.</summary>
    /// <returns>Why there is none, or <see langword="null"/>.</returns>
    internal Problem? Open(out CacheTable<string, byte[]> table)
    {
        if (_table is { } known)
        {
            table = known;
            return null;
        }
        if (tables.OpenToPut(name, out table, maker) is { } refusal)
            return ProblemMapper.FromRefusal(refusal);
        _table = table;
        return null;
    }

    /// <summary>Gets or creates the table.</summary>
    /// <exception cref="RefusedException">It can't be created; the state may have changed since <see cref="Check"/>.</exception>
    internal CacheTable<string, byte[]> Require() =>
        Open(out CacheTable<string, byte[]> table) is { } refusal ? throw new RefusedException(refusal) : table;
}
