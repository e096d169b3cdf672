using System;
using BigPile.Codec.Collections;
using BigPile.Codec.Graph;
using BigPile.Codec.Schema;
using BigPile.Codec.Slots;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Evolution;

/// <summary>Passes over content whose type is gone. Its objects keep their numbers, and nothing may refer to them.</summary>
internal sealed unsafe class PassingModel(SchemaForm form, Slot[] slots, ModelCache models)
    : TypeModel(typeof(object), models, isPasser: true)
{
    private readonly ComparerSlot _comparers = new(models.Any);

    public override byte* WriteContent(object value, int typeId, byte* p, WriteContext c) => throw new NotSupportedException();

    public override void Define(DefinitionWriter definition) => throw new NotSupportedException();

    public override byte* ReadContent(ref object? target, int count, byte* p, ReadContext c)
    {
        if (form != SchemaForm.Value)
            c.Register(PassedObject.Instance);
        return PassContent(count, p, c);
    }

    public override object CreateDeferred(ReadOnlySpan<int> lengths, ReadContext c) => PassedObject.Instance;

    public override byte* FillDeferred(object value, byte* p, ReadContext c) => Pass(p, c);

    /// <summary>Passes over content in its exact form.</summary>
    public byte* Pass(byte* p, ReadContext c)
    {
        int count = NoArray;
        if (Code.IsArray(*p) && form is not (SchemaForm.Value or SchemaForm.ObjectValue))
            p = c.ArrayHeader(p, out count);
        return PassContent(count, p, c);
    }

    private byte* PassContent(int count, byte* p, ReadContext c)
    {
        if (++c.Depth > WriteContext.DepthLimit)
            c.EnterDeep();
        p = form switch
        {
            SchemaForm.Fields or SchemaForm.Structure => PassFields(count, p, c),
            SchemaForm.Items => PassItems(count, p, c),
            SchemaForm.Pairs => PassPairs(count, p, c),
            SchemaForm.NamedFields or SchemaForm.NamedStructure => PassNamed(p, c),
            _ => slots[0].Read(ref *p, p, c),
        };
        c.Depth--;
        if (p > c.End)
            BadData.Truncated();
        return p;
    }

    private byte* PassFields(int count, byte* p, ReadContext c)
    {
        if (count != slots.Length)
            BadData.Invalid("an object has another number of members than its schema");
        foreach (Slot slot in slots)
        {
            p = slot.Read(ref *p, p, c);
            if (p > c.End)
                BadData.Truncated();
        }
        return p;
    }

    private byte* PassItems(int count, byte* p, ReadContext c)
    {
        // One element that is an object looks like a blob too: a back reference, a forward reference, a byte array.
        if (count is NoArray or 1 && slots[0].IsLeaf && Blob.IsAt(p))
            return PassBlob(p, c);
        p = _comparers.Read(ref count, p, out object? _, out _, c);
        if (count > 0 && Code.IsExtension(*p) && IsDimensions(p, c))
        {
            p = PassBlob(p, c);
            count--;
        }
        for (int i = 0; i < count; i++)
            p = PassOne(slots[0], p, c);
        return p;
    }

    private byte* PassPairs(int count, byte* p, ReadContext c)
    {
        p = _comparers.Read(ref count, p, out object? _, out _, c);
        p = c.MapHeader(p, out int pairs);
        for (int i = 0; i < pairs; i++)
            p = PassOne(slots[1], PassOne(slots[0], p, c), c);
        return p;
    }

    private byte* PassNamed(byte* p, ReadContext c)
    {
        p = c.MapHeader(p, out int count);
        if (count != slots.Length)
            BadData.Invalid("an object has another number of members than its schema");
        foreach (Slot slot in slots)
            p = PassOne(slot, ContractText.Read(p, out _, c), c);
        return p;
    }

    private static byte* PassOne(Slot slot, byte* p, ReadContext c)
    {
        p = slot.Read(ref *p, p, c);
        if (p > c.End)
            BadData.Truncated();
        return p;
    }

    private static byte* PassBlob(byte* p, ReadContext c)
    {
        p = Code.IsExtension(*p) ? c.ExtensionHeader(p, out _, out int length) : c.BinHeader(p, out length);
        return p + length;
    }

    private static bool IsDimensions(byte* p, ReadContext c)
    {
        c.ExtensionHeader(p, out sbyte extension, out _);
        return extension == ExtensionCode.Dimensions;
    }
}
