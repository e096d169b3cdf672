using System;
using System.Collections.Generic;
using BigPile.Codec.Graph;
using Xunit.Abstractions;

namespace BigPile.Tests.Codec;

/// <summary>The table of numbered objects beside a dictionary as its model, checked after every step, while objects move.</summary>
public sealed class ReferenceTableTests(ITestOutputHelper output)
{
    private const int Seed = 39;

    // Above this many slots the table gives memory back when it is reset.
    private const int KeptSlots = 64 * 1024;

    [Fact]
    public void NumbersAreThoseOfFirstVisits()
    {
        int seed = TestLeg.Seed(Seed);
        output.WriteLine($"seed {seed}");
        var random = new Random(seed);
        var table = new ReferenceTable();
        var model = new Model();
        for (int step = 0; step < TestLeg.Steps(10_000, 500_000); step++)
        {
            Step(random, table, model);
            Assert.Equal(model.Objects.Count, table.Count);
            table.CheckInvariants();
        }
    }

    [Fact]
    public void HugeTableIsNotKept()
    {
        var table = new ReferenceTable();
        var model = new Model();
        for (int i = 0; i <= KeptSlots / 2; i++)
            model.Visit(table, new object());
        for (int i = 0; i < 1000; i++)
            model.Visit(table, model.Objects[i * 31]);
        table.CheckInvariants();
        model.Reset(table);
        table.CheckInvariants();
        model.Visit(table, new object());
        table.CheckInvariants();
    }

    private static void Step(Random random, ReferenceTable table, Model model)
    {
        switch (random.Next(100))
        {
            case 0:
                model.Reset(table);
                break;
            case 1:
                GC.Collect(0);
                break;
            case < 50 when model.Objects.Count > 0:
                model.Visit(table, model.Objects[random.Next(model.Objects.Count)]);
                break;
            default:
                model.Visit(table, new object());
                break;
        }
    }

    private sealed class Model
    {
        private readonly Dictionary<object, int> _numbers = new(ReferenceEqualityComparer.Instance);

        public List<object> Objects { get; } = [];

        public void Visit(ReferenceTable table, object item)
        {
            if (_numbers.TryGetValue(item, out int number))
            {
                Assert.Equal(number, table.FindOrAdd(item));
                return;
            }
            Assert.Equal(-1, table.FindOrAdd(item));
            _numbers.Add(item, Objects.Count);
            Objects.Add(item);
        }

        public void Reset(ReferenceTable table)
        {
            table.Reset();
            _numbers.Clear();
            Objects.Clear();
        }
    }
}
