using System;
using System.Buffers;
using System.Collections.Generic;
using System.Threading;

namespace BigPile.Tests.Inside;

/// <summary>Every way in which a call of a pile runs code of the user's.</summary>
internal static class Intrusions
{
    /// <summary>The ways by name: each makes a call that runs the action in the middle of itself at least once.</summary>
    internal static readonly IReadOnlyDictionary<string, Action<Pile, CallingCodec, Action>> All =
        new Dictionary<string, Action<Pile, CallingCodec, Action>>
    {
        ["put"] = (pile, codec, action) => Serialize(codec, action, () => pile.Put(new Memo("x"))),
        ["put with room"] = (pile, codec, action) => Serialize(codec, action, () => pile.PutWithCapacity(new Memo("x"), 100)),
        ["replace"] = (pile, codec, action) =>
        {
            PilePointer pointer = pile.Put("old");
            Serialize(codec, action, () => pile.TryReplace(pointer, new Memo("x")));
        },
        ["put many"] = (pile, codec, action) =>
            Serialize(codec, action, () => pile.PutMany<Memo>([new("a"), new("b"), new("c")], new PilePointer[3])),
        ["get"] = (pile, codec, action) =>
        {
            PilePointer pointer = pile.Put(new Memo("x"));
            Deserialize(codec, action, () => pile.Get(pointer));
        },
        ["get many"] = (pile, codec, action) =>
        {
            PilePointer[] pointers = [pile.Put(new Memo("a")), pile.Put(new Memo("b")), pile.Put(new Memo("c"))];
            Deserialize(codec, action, () => pile.GetMany(pointers, new Memo?[3]));
        },
        ["put of parts"] = (pile, _, action) => pile.Put(Part.Sequence(action, [1, 2, 3], [4, 5], new byte[70_000])),
        ["read to a writer"] = (pile, _, action) => pile.Read(pile.Put(new byte[5_000]), new CallingWriter(action)),
        ["walk"] = static (pile, codec, action) =>
        {
            pile.Put("x");
            foreach (PileEntry entry in pile)
                action();
        },
        ["progress of a flush"] = static (pile, _, action) => pile.Flush(new CallingProgress(action)),
        ["progress of a compaction"] = static (pile, _, action) => pile.Compact(new CallingProgress(action), CancellationToken.None),
        ["progress of a verification"] = static (pile, _, action) => pile.Verify(new CallingProgress(action), CancellationToken.None),
    };

    private static void Serialize(CallingCodec codec, Action action, Action call)
    {
        codec.Serializing = action;
        call();
    }

    private static void Deserialize(CallingCodec codec, Action action, Action call)
    {
        codec.Deserializing = action;
        call();
    }

    /// <summary>A part of a sequence whose memory is the user's to hand out.</summary>
    private sealed class Part(Action action, byte[] bytes) : MemoryManager<byte>
    {
        private readonly Memory<byte> _memory = bytes;

        internal static ReadOnlySequence<byte> Sequence(Action action, params byte[][] parts)
        {
            Node first = new(new Part(action, parts[0]).Memory, 0);
            Node last = first;
            foreach (byte[] part in parts.AsSpan(1))
                last = last.Append(new Part(action, part).Memory);
            return new ReadOnlySequence<byte>(first, 0, last, last.Memory.Length);
        }

        public override Span<byte> GetSpan()
        {
            action();
            return _memory.Span;
        }

        public override MemoryHandle Pin(int elementIndex = 0)
        {
            action();
            return _memory[elementIndex..].Pin();
        }

        public override Memory<byte> Memory => CreateMemory(bytes.Length); // without asking for the span

        public override void Unpin()
        {
        }

        protected override void Dispose(bool disposing)
        {
        }
    }

    private sealed class Node : ReadOnlySequenceSegment<byte>
    {
        internal Node(ReadOnlyMemory<byte> memory, long index) => (Memory, RunningIndex) = (memory, index);

        internal Node Append(ReadOnlyMemory<byte> memory)
        {
            var next = new Node(memory, RunningIndex + Memory.Length);
            Next = next;
            return next;
        }
    }

    private sealed class CallingWriter(Action action) : IBufferWriter<byte>
    {
        private readonly ArrayBufferWriter<byte> _writer = new();

        public void Advance(int count)
        {
            action();
            _writer.Advance(count);
        }

        public Memory<byte> GetMemory(int sizeHint = 0)
        {
            action();
            return _writer.GetMemory(sizeHint);
        }

        public Span<byte> GetSpan(int sizeHint = 0)
        {
            action();
            return _writer.GetSpan(sizeHint);
        }
    }

    private sealed class CallingProgress(Action action) : IProgress<PileProgress>
    {
        public void Report(PileProgress value) => action();
    }
}
