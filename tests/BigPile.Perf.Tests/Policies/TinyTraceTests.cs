using System.Linq;
using BigPile.Perf.Policies;

namespace BigPile.Perf.Tests.Policies;

/// <summary>Traces that were gone through by hand: a hit is an H, a miss a dot.</summary>
public sealed class TinyTraceTests
{
    // The reference string of textbooks: with three frames LRU has 12 faults, and the optimum 9.
    private static readonly int[] Textbook = [7, 0, 1, 2, 0, 3, 0, 4, 2, 3, 0, 3, 2, 1, 2, 0, 1, 7, 0, 1];

    [Fact]
    public void Lru_has_the_faults_of_the_textbook() =>
        Assert.Equal("....H.H....HH.H.H.HH", HitsOf(new Lru(8, 3, KeyWeights.Equal), Textbook));

    [Fact]
    public void The_optimum_has_the_faults_of_the_textbook() =>
        Assert.Equal("....H.H.HH.HH.HHH.HH", HitsOf(new Optimum(Textbook, 8, 3), Textbook));

    // Room for ten: one in small, nine ghosts. 0 comes back as a ghost and is in main then; 2 is used twice and goes there, not out.
    [Fact]
    public void S3_fifo_keeps_what_is_used_twice_and_what_comes_back_soon()
    {
        int[] accesses = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0, 0, 2, 2, 11, 2, 3, 1, 3, 4];
        Assert.Equal("............HHH.H..H.", HitsOf(new S3Fifo(12, 10, KeyWeights.Equal), accesses));
    }

    // Three heavy ones fill it; a light one evicts one of them; one heavier than the capacity is not put.
    [Fact]
    public void A_policy_that_weighs_makes_as_much_room_as_is_needed()
    {
        int[] accesses = [0, 1, 2, 3, 0, 1, 4, 1, 3, 4];
        var weights = new KeyWeights([30, 30, 40, 1, 101]);
        Assert.Equal(".......HH.", HitsOf(new Lru(5, 100, weights), accesses));
        Assert.Equal(".......HH.", HitsOf(new S3Fifo(5, 100, weights), accesses));
    }

    [Fact]
    public void The_ConcurrentLfu_does_not_let_a_scan_in()
    {
        int[] hot = [.. Enumerable.Repeat(Enumerable.Range(0, 50), 6).SelectMany(static keys => keys)];
        int[] accesses = [.. hot, .. Enumerable.Range(50, 300), .. Enumerable.Range(0, 50)];
        Assert.True(HitsOf(CachePolicy.OfLfu(50), accesses)[^50..].Count(static hit => hit == 'H') >= 45);
        Assert.Equal(0, HitsOf(new Lru(350, 50, KeyWeights.Equal), accesses)[^50..].Count(static hit => hit == 'H'));
    }

    private static string HitsOf(IPolicy policy, int[] accesses) =>
        string.Concat(accesses.Select(key =>
        {
            bool isHit = policy.Access(key);
            policy.CheckInvariants();
            return isHit ? 'H' : '.';
        }));
}
