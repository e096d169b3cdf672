using System;
using System.Linq;
using BigPile.Allocation;

namespace BigPile.Tests.Allocation;

/// <summary>What a model knows of a segment: what each page is used for, and with which generation.</summary>
internal sealed unsafe class ModelSegment
{
    internal ModelSegment(Segment segment)
    {
        Segment = segment;
        Uses = new PageState[segment.PageCount];
        Array.Fill(Uses, PageState.Used, 0, segment.HeadPages);
        Generations = new uint[segment.PageCount];
        for (int page = segment.HeadPages; page < segment.PageCount; page++)
            Generations[page] = segment.WordOf(page).GenerationBase;
    }

    internal Segment Segment { get; }

    internal PageState[] Uses { get; }

    internal uint[] Generations { get; }

    internal int FreeCount => Uses.Count(static use => use == PageState.Free);

    internal bool IsEmpty => FreeCount == Segment.PageCount - Segment.HeadPages;

    internal uint Highest => Generations.Max();

    /// <summary>The first of so many free pages in a row; -1 when there are not.</summary>
    internal int FirstFree(int pages)
    {
        if (Segment.IsIdle)
            return -1;
        for (int first = 0; first + pages <= Uses.Length; first++)
        {
            if (Uses.AsSpan(first, pages).IndexOfAnyExcept(PageState.Free) < 0)
                return first;
        }
        return -1;
    }

    internal void Use(int first, int pages, bool isRun)
    {
        for (int page = first; page < first + pages; page++)
        {
            Uses[page] = PageState.Used;
            if (isRun)
                Generations[page] = Math.Max(Generations[page], 1);
            Assert.Equal(Generations[page], Segment.WordOf(page).GenerationBase);
        }
    }

    /// <summary>Frees pages.</summary>
    /// <returns>How many of them are exhausted.</returns>
    internal int Free(int first, int pages, uint reached)
    {
        int exhausted = 0;
        for (int page = first; page < first + pages; page++)
        {
            uint generation = Math.Max(page == first ? reached : 0, Generations[page] + 1);
            Generations[page] = Math.Min(generation, PilePointer.MaxGeneration);
            Uses[page] = Generations[page] == PilePointer.MaxGeneration ? PageState.Exhausted : PageState.Free;
            exhausted += Uses[page] == PageState.Exhausted ? 1 : 0;
            Assert.True(Segment.WordOf(page).IsUnused);
            Assert.Equal(Generations[page], Segment.WordOf(page).GenerationBase);
        }
        return exhausted;
    }

    internal enum PageState
    {
        Free,
        Used,
        Exhausted,
    }
}
