import { BarChart, LineChart } from "echarts/charts";
import {
  AriaComponent,
  BrushComponent,
  GridComponent,
  ToolboxComponent,
  TooltipComponent,
} from "echarts/components";
import * as echarts from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";

echarts.use([
  AriaComponent,
  BarChart,
  CanvasRenderer,
  GridComponent,
  LineChart,
  TooltipComponent,
  // Kumo's charts refer to these, even without a range selection.
  BrushComponent,
  ToolboxComponent,
]);

// Charts do not animate for users who prefer reduced motion.
echarts.registerPreprocessor((option) => {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) option["animation"] = false;
});

/** The library of charts, with the parts for charts of the console. */
export { echarts };
