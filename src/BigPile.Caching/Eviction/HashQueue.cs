using System;
using System.Diagnostics;
using System.Runtime.InteropServices;
using BigPile.Checking;

namespace BigPile.Caching.Eviction;

/// <summary>A first-in-first-out queue of 32-bit pieces of hashes, in pages of unmanaged memory.</summary>
/// <remarks>
/// What the entries weigh together is told by their number and a moving mean of what came in: no hash carries its weight, and what drifts
/// by entries that are replaced or removed is forgotten again. Where all weigh the same it is exact. Thread safety: none; its owner has a
/// lock.
/// </remarks>
internal sealed unsafe class HashQueue : IDisposable
{
    /// <summary>By how much the memory grows at once.</summary>
    internal const int NodeBytes = 4096;

    private const int HashesPerNode = (NodeBytes - 8) / sizeof(uint);

    private Node* _head;
    private Node* _tail;
    private Node* _spare;
    private int _headAt;
    private int _tailAt = HashesPerNode;

    /// <summary>The number of hashes.</summary>
    internal long Count { get; private set; }

    /// <summary>The bytes of memory that the queue takes.</summary>
    internal long SizeBytes { get; private set; }

    /// <summary>About what an entry weighs; 0 while nothing is known.</summary>
    internal double MeanWeight { get; private set; }

    /// <summary>About what all weigh together.</summary>
    internal double Weight => Count * MeanWeight;

    /// <summary>Pushes the hash of an entry that weighs something.</summary>
    internal void Push(uint hash, double weight)
    {
        if (weight != MeanWeight) // most often it is the same for all, and a division takes longer than the rest
            MeanWeight += (weight - MeanWeight) / (MeanWeight == 0 ? 1 : Count + 1);
        Push(hash);
    }

    /// <summary>Pushes the hash of an entry that weighs as much as the others.</summary>
    internal void Push(uint hash)
    {
        if (_tailAt == HashesPerNode)
            AddNode();
        _tail->Hashes[_tailAt++] = hash;
        Count++;
    }

    /// <summary>Takes the oldest hash. There must be one.</summary>
    internal uint Pop()
    {
        Debug.Assert(Count > 0, "There is a hash.");
        if (_headAt == HashesPerNode)
            DropHead();
        Count--;
        return _head->Hashes[_headAt++];
    }

    /// <summary>The hash that is popped next. There must be one.</summary>
    internal uint Oldest
    {
        get
        {
            Debug.Assert(Count > 0, "There is a hash.");
            return _headAt == HashesPerNode ? _head->Next->Hashes[0] : _head->Hashes[_headAt];
        }
    }

    /// <summary>The hash that a number of pops would still leave, if it is near.</summary>
    internal bool TryPeek(int ahead, out uint hash)
    {
        int at = _headAt + ahead;
        bool isNear = ahead < Count && at < HashesPerNode;
        hash = isNear ? _head->Hashes[at] : 0;
        return isNear;
    }

    /// <summary>Tells all hashes, or as many as are wanted, the oldest first.</summary>
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

    /// <summary>Looks whether count and size are those of the nodes that there are.</summary>
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
        Debug.Assert(next != null, "What is left is in the next node.");
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
