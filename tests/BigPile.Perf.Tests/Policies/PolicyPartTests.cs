using System.Collections.Generic;
using BigPile.Perf.Policies;

namespace BigPile.Perf.Tests.Policies;

/// <summary>What the policies are made of.</summary>
public sealed class PolicyPartTests
{
    [Fact]
    public void The_set_of_positions_is_a_set_that_knows_its_largest()
    {
        foreach (int limit in new[] { 1, 64, 65, 4096, 4097, 300_000 })
        {
            var random = new System.Random(limit);
            var model = new SortedSet<int>();
            var set = new PositionSet(limit);
            for (int i = 0; i < 2000; i++)
            {
                int number = i == 0 ? limit - 1 : random.Next(limit);
                if (model.Remove(number))
                    set.Remove(number);
                else if (model.Add(number))
                    set.Add(number);
                Assert.Equal(model.Count == 0, set.IsEmpty);
                if (model.Count != 0)
                    Assert.Equal(model.Max, set.Max);
            }
        }
    }
}
