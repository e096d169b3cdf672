namespace BigPile.Tests.Samples;

/// <summary>The README's linked list: its nodes live in the pile, and point to each other there.</summary>
internal sealed class PileList(Pile pile)
{
    internal PilePointer First { get; set; }

    internal PilePointer Last { get; set; }

    // README: list
    public class ListNode
    {
        public PilePointer Previous { get; set; }

        public PilePointer Next { get; set; }

        public string Value { get; set; } = "";
    }

    public PilePointer InsertAfter(PilePointer previous, string value)
    {
        PilePointer next = previous.IsValid ? pile.Get<ListNode>(previous).Next : First;
        PilePointer node = pile.Put(new ListNode { Previous = previous, Next = next, Value = value });
        Connect(previous, node);
        Connect(node, next);
        return node;
    }

    public void Remove(PilePointer node)
    {
        ListNode removed = pile.Get<ListNode>(node);
        Connect(removed.Previous, removed.Next);
        pile.Delete(node);
    }

    private void Connect(PilePointer left, PilePointer right)
    {
        if (left.IsValid)
            Change(left, node => node.Next = right);
        else
            First = right;
        if (right.IsValid)
            Change(right, node => node.Previous = left);
        else
            Last = left;
    }

    private void Change(PilePointer pointer, System.Action<ListNode> change)
    {
        ListNode node = pile.Get<ListNode>(pointer);
        change(node);
        pile.Replace(pointer, node);      // the pointer, and all that point here, stay right
    }
    // README: end of list
}
