using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace BigPile.Tests.Samples;

public sealed class PileListTests
{
    [Fact]
    public void A_list_in_a_mapped_pile_is_appended_to_inserted_into_and_walked_across_restarts()
    {
        using var directory = new TemporaryDirectory();
        var model = new List<string>();
        var random = new Random(17);
        PilePointer first = default;
        PilePointer last = default;
        for (int life = 0; life < 4; life++)
        {
            using Pile pile = Pile.Open(directory.Path, new PileOptions { SegmentBytes = 4 << 20 });
            var list = new PileList(pile) { First = first, Last = last };
            Check(pile, list, model);
            for (int step = 0; step < 300; step++)
                Change(pile, list, model, random, life + "/" + step);
            Check(pile, list, model);
            (first, last) = (list.First, list.Last);
        }
    }

    [Fact]
    public void The_readme_shows_the_list_that_is_compiled_here()
    {
        string readme = File.ReadAllText(Path.Combine(SourceTree.Root, "src/BigPile/README.md"));
        string[] lines = File.ReadAllLines(Path.Combine(SourceTree.Root, "tests/BigPile.Tests/Samples/PileList.cs"));
        int from = Array.FindIndex(lines, static line => line.Trim() == "// README: list") + 1;
        int to = Array.FindIndex(lines, static line => line.Trim() == "// README: end of list");
        string sample = string.Join('\n', lines[from..to].Select(static line => line.Length > 0 ? line[4..] : line));
        Assert.Contains(sample, readme, StringComparison.Ordinal);
    }

    private static void Change(Pile pile, PileList list, List<string> model, Random random, string value)
    {
        int index = random.Next(model.Count + 1);
        switch (random.Next(4))
        {
            case 0:
                list.InsertAfter(list.Last, value);
                model.Add(value);
                break;
            case 1 when model.Count > 0:
                list.Remove(NodeAt(pile, list, index % model.Count));
                model.RemoveAt(index % model.Count);
                break;
            default:
                list.InsertAfter(index == 0 ? PilePointer.Invalid : NodeAt(pile, list, index - 1), value);
                model.Insert(index, value);
                break;
        }
    }

    private static void Check(Pile pile, PileList list, List<string> model)
    {
        Assert.Equal(model, Walk(pile, list.First, static node => node.Next));
        Assert.Equal(model.AsEnumerable().Reverse(), Walk(pile, list.Last, static node => node.Previous));
        Assert.Equal(model.Count, pile.Statistics.ObjectCount);
    }

    private static PilePointer NodeAt(Pile pile, PileList list, int index)
    {
        PilePointer pointer = list.First;
        for (; index > 0; index--)
            pointer = pile.Get<PileList.ListNode>(pointer).Next;
        return pointer;
    }

    private static IEnumerable<string> Walk(Pile pile, PilePointer start, Func<PileList.ListNode, PilePointer> step)
    {
        for (PilePointer pointer = start; pointer.IsValid;)
        {
            PileList.ListNode node = pile.Get<PileList.ListNode>(pointer);
            yield return node.Value;
            pointer = step(node);
        }
    }
}
