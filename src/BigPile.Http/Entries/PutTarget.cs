using BigPile.AspNetCore.Tables;
using BigPile.Caching;
using BigPile.Http.Protocol;

namespace BigPile.Http.Entries;

/// <summary>
/// The table that a request puts many payloads into, made when there is one to put: what can't be stored must not leave a table behind.
/// </summary>
/// <param name="tables">The tables of the pile.</param>
/// <param name="name">The table's name.</param>
/// <param name="maker">Who asks for it, if clients have keys.</param>
/// <remarks>Thread safety: none; a request has one of its own.</remarks>
internal sealed class PutTarget(ServedTables tables, string name, ITableCreator? maker = null)
{
    private CacheTable<string, byte[]>? _table;

    /// <summary>
    /// Says why nothing can be put into the table, without making it; <see langword="null"/>: as it is now, something can.
    /// </summary>
    internal Problem? Check() => tables.CheckPut(name, maker) is { } refusal ? ProblemMapper.FromRefusal(refusal) : null;

    /// <summary>Gives the table, and makes it if there is none.</summary>
    /// <returns>Why there is none; <see langword="null"/> when there is.</returns>
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

    /// <summary>Gives the table, and makes it if there is none.</summary>
    /// <exception cref="RefusedException">
    /// There is none, and there can't be; others may have come in between since it was looked at.
    /// </exception>
    internal CacheTable<string, byte[]> Require() =>
        Open(out CacheTable<string, byte[]> table) is { } refusal ? throw new RefusedException(refusal) : table;
}
