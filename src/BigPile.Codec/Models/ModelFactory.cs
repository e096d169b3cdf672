using System;
using System.Collections.Immutable;
using System.Linq;

namespace BigPile.Codec;

/// <summary>Chooses how each type is written and read.</summary>
internal sealed partial class ModelFactory(ModelCache models, PileCodecOptions options)
{
    public Slot MakeSlot(Type declared)
    {
        if (declared == typeof(string))
            return new StringSlot();
        if (LeafSlots.TryGet(declared, out Slot? leaf))
            return leaf!;
        if (declared.IsEnum)
            return models.SlotFor(declared.GetEnumUnderlyingType());
        if (declared.IsConstructedGenericType && declared.GetGenericTypeDefinition() == typeof(ImmutableArray<>))
            return models.SlotFor(declared.GetGenericArguments()[0].MakeArrayType());
        if (ViewedType(declared) is { } viewed)
            return MakeView(viewed, models.SlotFor(viewed.MakeArrayType()));
        if (declared.IsPointer || declared.IsFunctionPointer)
            return new RefusedSlot(declared);
        if (declared.IsValueType)
            return MakeValueSlot(declared);
        return UnionSlot.ListOf(declared).Any() ? MakeUnion(declared) : new ReferenceSlot(declared, models);
    }

    public TypeModel MakeModel(Type type)
    {
        try
        {
            TypeModel model = MakeAnyModel(type);
            model.IsPlainRoot = models.IsPlain(type);
            return model;
        }
        catch (RefusedException e)
        {
            return new RefusedModel(type, e.Message, models);
        }
    }

    private TypeModel MakeAnyModel(Type type)
    {
        if (StorableTypes.WhyNot(type) is not null)
            return new RefusedModel(type, StorableTypes.WhyRefused(type), models);
        if (LossyTypes.WhyNot(type) is not null)
            return new RefusedModel(type, StorableTypes.WhyRefused(type), models, isStillRead: true);
        if (RefusesFormatter(type))
            return new RefusedModel(type, WhyNoFormatter(type), models, isStillRead: true);
        if (type.IsValueType)
            return MakeBoxed(type);
        if (type.IsArray && (type.GetElementType()!.IsPointer || type.GetElementType()!.IsFunctionPointer))
            return new RefusedModel(type, Reason(type.GetElementType()!), models);
        if (TextModels.PublicType(type) is { } text)
            return TextModels.Make(text, models);
        if (FrozenBase(type) is { } frozen)
            type = frozen;
        if (LookupBase(type) is { } lookup)
            type = lookup;
        if (IsContainer(type))
            return MakeContainer(type, ElementSlots(type))!;
        if (!MayUseFields(type, out string? reason))
            return new RefusedModel(type, reason!, models);
        return ContainerBase(type) is { } part ? MakeDerived(type, part) : MakeFields(type);
    }

    /// <summary>What the elements of a view are, or null for any other type. Views of bytes are values of their own.</summary>
    public static Type? ViewedType(Type declared) => declared.IsConstructedGenericType
        && declared.GetGenericTypeDefinition() is var view && (view == typeof(Memory<>) || view == typeof(ReadOnlyMemory<>))
            ? declared.GetGenericArguments()[0]
            : null;

    public static Slot MakeView(Type element, Slot array) => (Slot)Make(typeof(ViewSlot<>), [element], array);

    private UnionSlot MakeUnion(Type declared) =>
        new(declared, UnionSlot.ListOf(declared).Select(m => (m.Key, m.Type, models.SlotFor(m.Type))), models);

    private Slot MakeValueSlot(Type declared)
    {
        if (Nullable.GetUnderlyingType(declared) is { } inner)
            return MakeNullable(inner, models.SlotFor(inner));
        if (StorableTypes.WhyNot(declared) is not null || LossyTypes.WhyNot(declared) is not null || !MayUseFields(declared, out _))
            return new RefusedSlot(declared);
        if (RefusesFormatter(declared))
            return new RefusedSlot(declared, WhyNoFormatter(declared), always: true);
        return IsNamed(declared) ? new NamedStructSlot(new NamedFields(declared, MakePlans(declared))) : new StructSlot(MakeFieldList(declared));
    }

    private TypeModel MakeBoxed(Type type) => models.SlotFor(type) switch
    {
        StructSlot structure => new FieldsModel(type, structure.Fields, models),
        NamedStructSlot structure => new NamedFieldsModel(type, structure.Fields, models),
        RefusedSlot => new RefusedModel(type, Reason(type), models),
        var slot => new BoxedModel(type, slot, models),
    };

    public static Slot MakeNullable(Type inner, Slot slot) => (Slot)Make(typeof(NullableSlot<>), [inner], slot);

    private TypeModel MakeFields(Type type) => IsNamed(type)
        ? new NamedFieldsModel(type, new NamedFields(type, MakePlans(type)), models)
        : new FieldsModel(type, MakeFieldList(type), models);

    private FieldList MakeFieldList(Type type, Type? stopAt = null) => new(type, MakePlans(type, stopAt), options.CodeGeneration);

    private FieldPlan[] MakePlans(Type type, Type? stopAt = null)
    {
        bool hasContract = Contract.Of(type) is not null;
        return [.. FieldListBuilder.FieldsOf(type, stopAt).ConvertAll(field => MakePlan(field, type, hasContract))];
    }

    private FieldPlan MakePlan(StoredField field, Type owner, bool hasContract)
    {
        if (field.Member is null)
            return new FieldPlan(field.Name, 0, new NilSlot());
        if (!hasContract)
            return field.Plan(models.SlotFor(field.ValueType), owner);
        if (!models.IsPlain(owner))
            return field.Plan(models.Contracts.SlotFor(field.ValueType), owner);
        Slot slot = field.HasFormatter
            ? new RefusedSlot(field.ValueType, ContractForm.WhyNot($"the member {field.Name}, whose formatter is the application's own"), always: true)
            : models.PlainContracts.SlotFor(field.ValueType);
        return field.Plan(slot, owner);
    }

    private static bool IsNamed(Type type) => Contract.Of(type) is { IsNamed: true };

    private static object Make(Type definition, Type[] arguments, params object[] parameters) =>
        Activator.CreateInstance(definition.MakeGenericType(arguments), parameters)!;
}
