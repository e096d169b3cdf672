using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Caching.Tests.Reads;

/// <summary>What an entry points to may be replaced by the application while it is read.</summary>
public sealed class OwnedValueReadTests
{
    [Fact]
    public async Task Value_and_size_are_of_one_instant()
    {
        const int reads = 100_000;
        using PileCache cache = TestCache.Make();
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
        PilePointer pointer = cache.Pile.Put(new byte[10]);
        table.PutPointer(1, pointer);
        using var stop = new CancellationTokenSource();
        Task replacing = SideBySide.Start(() =>
        {
            for (int i = 0; !stop.IsCancellationRequested; i++)
                cache.Pile.Replace(pointer, new byte[10 + i % 50]);
        });
        try
        {
            for (int i = 0; i < reads; i++)
            {
                Assert.True(table.TryGet(1, out byte[]? value, out EntryInfo info));
                Assert.Equal(value!.Length, info.ValueBytes);
            }
        }
        finally
        {
            await stop.CancelAsync();
            await replacing;
        }
    }
}
