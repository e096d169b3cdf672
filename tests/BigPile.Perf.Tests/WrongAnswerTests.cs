using System;
using System.Threading;
using BigPile.Perf.Loads;
using BigPile.Perf.Payloads;

namespace BigPile.Perf.Tests;

public class WrongAnswerTests
{
    [Fact]
    public void An_object_that_came_back_changed_fails_the_load()
    {
        LoadException error = Assert.Throws<LoadException>(() => Run(new ForgetfulKind(wrongNumber: 1234)));
        Assert.Contains("Object 1,234 came back", error.Message);
    }

    [Fact]
    public void An_object_that_is_gone_fails_the_load() => Assert.Throws<PilePointerException>(() => Run(new LosingKind(lostNumber: 1234)));

    private static void Run<TKind>(TKind kind)
        where TKind : struct, IPayloadKind<TKind>
    {
        var options = new InsertOptions { Count = 2000, Threads = 2 };
        using var load = new InsertLoad<TKind>(options, kind, directory: null, long.MaxValue, new NoProgress(), CancellationToken.None);
        load.Run();
    }

    private readonly struct ForgetfulKind(int wrongNumber) : IPayloadKind<ForgetfulKind>
    {
        private readonly int _wrongNumber = wrongNumber;

        public ForgetfulKind ForThread() => this;

        public PilePointer Put(Pile pile, int number) => pile.Put("text");

        public bool IsIntact(Pile pile, PilePointer pointer, int number) => pile.Contains(pointer) && number != _wrongNumber;

        public bool AreIntact(Pile pile, ReadOnlySpan<PilePointer> pointers, ReadOnlySpan<int> numbers)
        {
            bool areIntact = true;
            for (int i = 0; i < pointers.Length; i++)
                areIntact &= IsIntact(pile, pointers[i], numbers[i]);
            return areIntact;
        }
    }

    private readonly struct LosingKind(int lostNumber) : IPayloadKind<LosingKind>
    {
        private readonly int _lostNumber = lostNumber;

        public LosingKind ForThread() => this;

        public PilePointer Put(Pile pile, int number) => pile.Put("text");

        public bool IsIntact(Pile pile, PilePointer pointer, int number)
        {
            if (number == _lostNumber)
                pile.Delete(pointer);
            return pile.Get<string>(pointer).Length == 4;
        }

        public bool AreIntact(Pile pile, ReadOnlySpan<PilePointer> pointers, ReadOnlySpan<int> numbers)
        {
            bool areIntact = true;
            for (int i = 0; i < pointers.Length; i++)
                areIntact &= IsIntact(pile, pointers[i], numbers[i]);
            return areIntact;
        }
    }
}
