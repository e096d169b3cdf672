using BigPile.Caching.Entries;
using BigPile.Caching.Keys;

namespace BigPile.Caching;

/// <summary>Changing how long an entry lives.</summary>
public sealed partial class CacheTable<TKey, TValue>
{
    /// <summary>Gives an entry another lifetime, while its value, priority and tags stay.</summary>
    /// <param name="key">The key.</param>
    /// <param name="version">The version that the entry must have; 0: any.</param>
    /// <param name="lifetime">The lifetime.</param>
    /// <param name="info">The entry as it is now.</param>
    /// <returns>What became of it; <see langword="null"/> when there is no entry of this key and version.</returns>
    internal PutResult? Renew(in KeyProbe key, ulong version, in EntryLifetime lifetime, out EntryInfo info)
    {
        while (TryCopy(key, out CopyReader copy, out info))
        {
            using (copy)
            {
                if (version != 0 && info.Version != version)
                    return null;
                if (!Core.TryLook(key, out TableCore.EntryCopy entry) || entry.Info.Version != info.Version)
                    continue; // it was replaced meanwhile
                EntrySpec spec = Core.SpecOf(entry, lifetime);
                PutResult? result = entry.Kind == ValueKind.Pointer
                    ? PutOwnedAgain(key, info.Version, spec, out EntryInfo renewed)
                    : Core.Put(key, copy.Value, copy.Kind, spec, TableCore.Condition.Of(info.Version), out renewed);
                if (result == null)
                    continue;
                info = renewed with { ValueBytes = info.ValueBytes };
                return result;
            }
        }
        return null;
    }
}
