using System;
using System.Diagnostics;
using System.Runtime.InteropServices;
using BigPile.Memory.Checking;

namespace BigPile.Caching.Eviction.Policies;

/// <summary>A FIFO queue of 32-bit fingerprints, in nodes of unmanaged memory.</summary>
/// <remarks>
/// The total weight is estimated: the count times a moving mean of the pushed weights. Fingerprints carry no weight, and the drift from
/// replaced or removed entries fades out. If all entries have the same weight, it is exact. Thread safety: none; its owner has a lock.
/// </remarks>
internal sealed unsafe class HashQueue : IDisposable
{
    /// <summary>The bytes of a node, by which the memory grows.</summary>
    internal const int NodeBytes = 4096;

    private const int HashesPerNode = (NodeBytes - 8) / sizeof(uint);

    private Node* _head; // the node that is popped from; null: none
    private Node* _tail; // the node that is pushed to
    private Node* _spare; // one free node, against frequent allocation; null: none
    private int _headAt; // element of the head that is popped next
    private int _tailAt = HashesPerNode; // element of the tail that is pushed next

    internal long Count { get; private set; }

    /// <summary>The bytes of memory that the queue takes.</summary>
    internal long SizeBytes { get; private set; }

    /// <summary>The estimated weight of an entry; 0: unknown.</summary>
    internal double MeanWeight { get; private set; }

    /// <summary>The estimated total weight.</summary>
    internal double Weight => Count * MeanWeight;

    /// <summary>Pushes the fingerprint of an entry.</summary>
    /// <param name="hash">The fingerprint.</param>
    /// <param name="weight">The entry's weight; 0: unknown, as of the mean weight.</param>
    internal void Push(uint hash, double weight)
    {
        if (weight != MeanWeight && weight != 0) // mostly all weights are equal, and the division costs more than the rest
            MeanWeight += (weight - MeanWeight) / (MeanWeight == 0 ? 1 : Count + 1);
        Push(hash);
    }

    /// <summary>Pushes the fingerprint of an entry, as one of the mean weight.</summary>
    internal void Push(uint hash)
    {
        if (_tailAt == HashesPerNode)
            AddNode();
        _tail->Hashes[_tailAt++] = hash;
        Count++;
    }

    /// <summary>Pops the oldest fingerprint. The queue must not be empty.</summary>
    internal uint Pop()
    {
        Debug.Assert(Count > 0, "The queue is not empty.");
        if (_headAt == HashesPerNode)
            DropHead();
        Count--;
        return _head->Hashes[_headAt++];
    }

    /// <summary>The fingerprint that is popped next. The queue must not be empty.</summary>
    internal uint Oldest
    {
        get
        {
            Debug.Assert(Count > 0, "The queue is not empty.");
            return _headAt == HashesPerNode ? _head->Next->Hashes[0] : _head->Hashes[_headAt];
        }
    }

    /// <summary>The fingerprint that would be the oldest after some pops, if it is in the head node.</summary>
    internal bool TryPeek(int ahead, out uint hash)
    {
        int at = _headAt + ahead;
        bool isNear = ahead < Count && at < HashesPerNode;
        hash = isNear ? _head->Hashes[at] : 0;
        return isNear;
    }

    /// <summary>Visits all fingerprints, or at most some, from the oldest.</summary>
    internal void ForEach(Action<uint> visit, long most = long.MaxValue)
    {
        int at = _headAt;
        long left = Math.Min(Count, most);
        for (Node* node = _head; left > 0; left--)
        {
            if (at == HashesPerNode)
            {
                node = node->Next;
                at = 0;
            }
            visit(node->Hashes[at++]);
        }
    }

    /// <summary>Checks that count and size match the nodes.</summary>
    internal void CheckInvariants(string place)
    {
        long nodes = 0;
        Node* last = null;
        for (Node* node = _head; node != null; node = node->Next, nodes++)
            last = node;
        Invariant.Require(last == _tail, $"{place}: its last node is not the one that is pushed to.");
        long hashes = nodes == 0 ? 0 : nodes * HashesPerNode - _headAt - (HashesPerNode - _tailAt);
        Invariant.Require(Count == hashes, $"{place}: {Count} hashes are counted, and its nodes have {hashes}.");
        Invariant.Require(MeanWeight >= 0, $"{place}: its entries weigh {MeanWeight} each.");
        long sizeBytes = (nodes + (_spare == null ? 0 : 1)) * NodeBytes;
        Invariant.Require(SizeBytes == sizeBytes, $"{place}: {SizeBytes} bytes are counted, and its nodes have {sizeBytes}.");
    }

    internal void Clear()
    {
        while (_head != null)
        {
            Node* next = _head->Next;
            Free(_head);
            _head = next;
        }
        if (_spare != null)
            Free(_spare);
        _spare = null;
        _tail = null;
        _headAt = 0;
        _tailAt = HashesPerNode;
        Count = 0;
        MeanWeight = 0;
    }

    public void Dispose() => Clear();

    private void AddNode()
    {
        Node* node = _spare;
        _spare = null;
        if (node == null)
        {
            node = (Node*)NativeMemory.Alloc(NodeBytes);
            SizeBytes += NodeBytes;
        }
        node->Next = null;
        if (_tail == null)
            _head = node;
        else
            _tail->Next = node;
        _tail = node;
        _tailAt = 0;
    }

    private void DropHead()
    {
        Node* next = _head->Next;
        Debug.Assert(next != null, "The queue is not empty, so there is another node.");
        if (_spare == null)
            _spare = _head;
        else
            Free(_head);
        _head = next;
        _headAt = 0;
    }

    private void Free(Node* node)
    {
        NativeMemory.Free(node);
        SizeBytes -= NodeBytes;
    }

    private struct Node
    {
        internal Node* Next;
        internal fixed uint Hashes[HashesPerNode];
    }
}
