using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching;

namespace BigPile.Recipes.Tests;

/// <summary>Readers of a table's changes.</summary>
public static partial class Recipes
{
    /// <summary>A reader that goes on where it was.</summary>
    public static async Task FollowAsync(
        CacheTable<string, Product> products, Func<Task<string?>> loadAsync, Func<ChangeBatch<string, Product>, Task> applyAsync,
        Func<string, Task> saveAsync, CancellationToken stop)
    {
        // recipe: follow
        _ = FeedCursor.TryParse(await loadAsync(), out FeedCursor from);     // without one: from the start
        await foreach (ChangeBatch<string, Product> batch in products.Changes(from, new ChangeOptions { Values = true }, stop))
        {
            await applyAsync(batch);                                         // of a Gap: let go all that you hold
            await saveAsync(batch.Cursor.ToString());                        // behind what it covers, so that nothing is missed
        }
        // recipe: end
    }

    /// <summary>What a reader holds of a table, by the changes.</summary>
    public static void Apply(
        ChangeBatch<string, Product> batch, Dictionary<string, Change<string, Product>> held, Action<Change<string, Product>, bool> told)
    {
        // recipe: copy of a table
        if (batch.Kind == ChangeBatchKind.Gap)                       // a walk through the whole table follows
            held.Keys.ToList().ForEach(key => LetGo(key, ulong.MaxValue));
        foreach (Change<string, Product> change in batch.Changes)
        {
            if (change.Kind is ChangeKind.TagRemoved or ChangeKind.Cleared)
                held.Values.Where(one => IsOf(one, change)).ToList().ForEach(one => LetGo(one.Key, change.GoneUpTo));
            else
                LetGo(change.Key, change.IsPut ? change.Version : change.GoneUpTo);
            if (change.IsPut && held.TryAdd(change.Key, change))     // it has a later one if a walk met that
                told(change, true);
        }
        void LetGo(string key, ulong upTo)
        {
            if (held.TryGetValue(key, out Change<string, Product> old) && old.Version <= upTo && held.Remove(key))
                told(old, false);
        }
        static bool IsOf(Change<string, Product> one, Change<string, Product> gone) =>
            gone.Kind == ChangeKind.Cleared || one.TagHashes.Span.ContainsAny(gone.TagHashes.Span);
        // recipe: end
    }

    /// <summary>Keys by a field of the value.</summary>
    public static async Task KeepIndexAsync(
        CacheTable<string, Product> products, Dictionary<string, Change<string, Product>> held, SortedSet<(string Name, string Id)> byName,
        CancellationToken stop)
    {
        // recipe: index
        await foreach (ChangeBatch<string, Product> batch in products.Changes(options: new ChangeOptions { Values = true }, stop: stop))
        {
            lock (byName)                                                    // a SortedSet<(string Name, string Id)>
                Apply(batch, held, (one, isThere) =>
                {
                    if (one.HasValue)                                        // else a later change of the key comes
                        _ = isThere ? byName.Add((one.Value!.Name, one.Key)) : byName.Remove((one.Value!.Name, one.Key));
                });
        }
        // recipe: end
    }

    /// <summary>Entries by tag.</summary>
    public static async Task CountAsync(
        CacheTable<string, Product> products, Dictionary<string, Change<string, Product>> held, ConcurrentDictionary<ulong, int> counts,
        CancellationToken stop)
    {
        // recipe: counter
        await foreach (ChangeBatch<string, Product> batch in products.Changes(FeedCursor.Start, stop: stop))
            Apply(batch, held, (one, isThere) =>
            {
                foreach (ulong tag in one.TagHashes.Span)     // counts[CacheTable.HashOfTag("fruit")] has those with the tag
                    counts.AddOrUpdate(tag, 1, (_, count) => count + (isThere ? 1 : -1));
            });
        // recipe: end
    }
}
