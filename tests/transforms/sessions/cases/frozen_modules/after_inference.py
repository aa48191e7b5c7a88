"""Runs a detection graph on images."""
import numpy as np
import tensorflow as tf


def run_inference_for_single_image(image, graph):
  with graph.as_default():
    # Get handles to input and output tensors
    ops = graph.graph.get_operations()
    all_tensor_names = {output.name for op in ops for output in op.outputs}
    tensor_dict = {}
    for key in ['num_detections', 'detection_boxes', 'detection_scores',
                'detection_classes', 'detection_masks']:
      tensor_name = key + ':0'
      if tensor_name in all_tensor_names:
        tensor_dict[key] = graph.get_tensor_by_name(tensor_name)
    if 'detection_masks' in tensor_dict:
      # The following processing is only for single image
      detection_masks = tf.squeeze(tensor_dict['detection_masks'], [0])
      real_num_detection = tf.cast(tensor_dict['num_detections'][0], tf.int32)
      detection_masks = tf.slice(detection_masks, [0, 0, 0], [real_num_detection, -1, -1])
      tensor_dict['detection_masks'] = tf.expand_dims(
          tf.cast(tf.greater(detection_masks, 0.5), tf.uint8), 0)
    image_tensor = 'image_tensor:0'

    # Run inference
    output_dict = graph.run(tensor_dict,
                           feed_dict={image_tensor: np.expand_dims(image, 0)})

    # all outputs are float32 numpy arrays, so convert types as appropriate
    output_dict['num_detections'] = int(output_dict['num_detections'][0])
    output_dict['detection_boxes'] = output_dict['detection_boxes'][0]
    output_dict['detection_scores'] = output_dict['detection_scores'][0]
    if 'detection_masks' in output_dict:
      output_dict['detection_masks'] = output_dict['detection_masks'][0]
  return output_dict


def detect_objects(image_np, sess, detection_graph):
  """Boxes and scores of one image."""
  image_tensor = 'image_tensor:0'
  boxes = detection_graph.get_tensor_by_name('detection_boxes:0')
  scores = detection_graph.get_tensor_by_name('detection_scores:0')
  boxes, scores = sess.run(
      [boxes, scores],
      feed_dict={image_tensor: np.expand_dims(image_np, axis=0)})
  return np.squeeze(boxes), np.squeeze(scores)
